// Insertion sort of bytes in private memory, in a loop that work-items leave at different times.
//! launch: 64 / 32
//! launch: 15 / 5
//! arg a: small_ints((9, G[0]), int8)
//! arg out: zeros((9, G[0]), int8)
//! arg count: 9
//| out[:] = sort(a, axis=0)
__kernel void sorted(__global const char *a, __global char *out, int count) {
    int i = get_global_id(0), n = get_global_size(0);
    char v[9];
    for (int c = 0; c < count; c++) {
        char t = a[c * n + i];
        int j = c;
        while (j > 0 && v[j - 1] > t) {
            v[j] = v[j - 1];
            j--;
        }
        v[j] = t;
    }
    for (int c = 0; c < count; c++)
        out[c * n + i] = v[c];
}
