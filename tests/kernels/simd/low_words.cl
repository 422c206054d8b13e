// The low words of 64-bit numbers are indices: consecutive in most sets of lanes, wrapping in the middle of others.
//! launch: 64 / 32
//! launch: 21 / 7
//! sizes: any
//! arg a: arange(G[0] + 1024, dtype=int32) * 3
//! arg n: uint32(5)
//! arg back: uint64(2**40 + 2**32 - 24)
//! arg out: zeros(G[0], int32)
//| for i in range(G[0]):
//|     total = 0
//|     for k in range(n):
//|         low = (int(back) + i + k) % 2**32
//|         total += int(a[low]) if low < 512 else 7
//|         total += int(a[(i + k * 64) % 2**32])
//|     out[i] = total
kernel void low_words(global const int *a, uint n, ulong back, global int *out) {
    ulong i = get_global_id(0);
    int total = 0;
    for (uint k = 0; k < n; k++) {
        ulong low = (back + i + k) & 0xffffffffUL;
        total += low < 512 ? a[low] : 7;
        total += a[(uint)i + k * 64];
    }
    out[i] = total;
}
