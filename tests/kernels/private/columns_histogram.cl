// A histogram of each work-item in private memory: filled, counted at varying places, read in order.
//! launch: 64 / 16
//! launch: 21 / 7
//! launch: (16, 6) / (8, 3)
//! arg a: small_ints((20, prod(G)), uint32, 0, 1000)
//! arg out: zeros(prod(G), uint32)
//! arg m: 20
//| for i in range(prod(G)):
//|     h = bincount(a[:m, i] % 13, minlength=13).astype(uint32)
//|     s = 0
//|     for x in h:
//|         s = (s * 3 + int(x) * int(x)) & 0xFFFFFFFF
//|     out[i] = s
__kernel void histogram(__global const uint *a, __global uint *out, int m) {
    uint i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    uint n = get_global_size(0) * get_global_size(1), h[13] = {0}, s = 0;
    for (int j = 0; j < m; j++)
        h[a[j * n + i] % 13]++;
    for (int b = 0; b < 13; b++)
        s = s * 3 + h[b] * h[b];
    out[i] = s;
}
