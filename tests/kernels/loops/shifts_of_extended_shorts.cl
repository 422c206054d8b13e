// Shorts that are extended to 32 bits and shifted to the right, by so much that zeros follow their signs too.
//! launch: 64 / 16
//! launch: 15 / 5
//! sizes: any
//! arg a: rng.integers(-2**15, 2**15, G[0], int16)
//! arg n: 5
//! arg b: zeros(G[0], uint16)
//| for i, v in enumerate(a.tolist()):
//|     sum = 0
//|     for k in range(n):
//|         x = (((v + k) & 0xFFFF) ^ 0x8000) - 0x8000
//|         wide = x & 0xFFFFFFFF
//|         sum += wide >> 20
//|         sum ^= (wide >> 16) + 3 * (wide >> 17)
//|         sum += (x >> 3) + (x >> 15)
//|         sum &= 0xFFFF
//|     b[i] = sum
kernel void shifts_of_extended_shorts(global const short *a, int n, global ushort *b) {
    int i = get_global_id(0);
    ushort sum = 0;
    for (int k = 0; k < n; k++) {
        short x = a[i] + k;
        uint wide = (uint)(int)x;
        sum += (ushort)(wide >> 20);
        sum ^= (ushort)((wide >> 16) + 3u * (wide >> 17));
        sum += (ushort)((x >> 3) + (x >> 15));
    }
    b[i] = sum;
}
