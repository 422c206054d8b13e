// Only low bits of products are used, by a multiplication that makes them the high ones.
//! launch: 64 / 16
//! launch: 35 / 7
//! sizes: any
//! arg out: zeros(G[0], int32)
//! arg a: small_ints(G[0] + 10, int16)
//! arg b: small_ints(G[0] + 10, int16)
//! arg n: array([5], int32)
//| for i in range(n[0]):
//|     x = a.astype(int32)[i : i + G[0]] * b[i : i + G[0]] + a[i + 1 : i + 1 + G[0]]
//|     out[:] ^= maximum(x * 65536, -1000000) + (x + b[i]).astype(int16)
kernel void low_bits_become_high(global int *out, global const short *a, global const short *b,
                                 global const int *n) {
    int gid = get_global_id(0);
    int r = 0;
    for (int i = 0; i < n[0]; i++) {
        int x = a[gid + i] * b[gid + i] + a[gid + i + 1];
        short y = (short)(x + b[i]);
        r ^= max(x * 65536, -1000000) + y;
    }
    out[gid] = r;
}
