// Signed arithmetic on ids: differences below zero, casts to int and to short.
//! launch: 32 / 8
//! sizes: any
//! arg a: arange(G[0] + 32, dtype=int32)
//! arg out: zeros(G[0], int32)
//| i = arange(G[0])
//| out[:] = a[G[0] + 8 - (i - 8)] * 100 + (3 - i)
kernel void negative_distance(global const int *a, global int *out) {
    int i = get_global_id(0), d = i - 8;
    out[i] = a[get_global_size(0) + 8 - d] * 100 + (short)(3 - get_global_id(0));
}
