// Private arrays of the widest vectors keep their alignment in context arrays, beside one of bytes.
//! launch: 6 / 3
//! sizes: any
//! arg a: eighths((G[0], 16), float64)
//! arg out: zeros((G[0], 16), float64)
//! arg n: 1
//| out[:] = a * 2 + (arange(G[0]) % L[0] + 5).astype(int8)[:, None]
kernel void aligned_array_across_barrier(global const double16 *a, global double16 *out, int n) {
    int l = get_local_id(0), i = get_global_id(0);
    char bytes[3];
    double16 wide[2];
    for (int k = 0; k < 3; k++) bytes[k] = (char)(l + k * 5);
    wide[n] = a[i] * 2.0;
    wide[1 - n] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = wide[n] + (double)bytes[n];
}
