// Signed arithmetic on ids: differences below zero, casts to int and to short.
//! launch: 32 / 8
//! arg a: arange(64, dtype=int32)
//! arg out: zeros(32, int32)
//| i = arange(32)
//| out[:] = a[40 - (i - 8)] * 100 + (3 - i)
kernel void negative_distance(global const int *a, global int *out) {
    int i = get_global_id(0), d = i - 8;
    out[i] = a[40 - d] * 100 + (short)(3 - get_global_id(0));
}
