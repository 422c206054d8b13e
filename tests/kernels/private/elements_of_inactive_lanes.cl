// Some work-items store an element if its number is below the length of the array. Where it is not, no lane stores,
// and the address is far from the array.
//! launch: 64 / 32
//! launch: 21 / 7
//! arg a: small_ints((3, G[0]))
//! arg out: zeros((4, G[0]), int32)
//! arg step: 500000000
//! arg count: 3
//| out[:] = 7
//| out[0] = where(a[0] > 0, a[0], 7)
__kernel void below_the_length(__global const int *a, __global int *out, int step, int count) {
    int x = get_global_id(0), n = get_global_size(0);
    int v[4] = {7, 7, 7, 7};
    for (int c = 0; c < count; c++) {
        int k = c * step, number = a[c * n + x];
        if (number > 0 && k < 4)
            v[k] = number;
    }
    for (int c = 0; c < 4; c++)
        out[c * n + x] = v[c];
}
