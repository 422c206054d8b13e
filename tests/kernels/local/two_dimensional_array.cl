// An automatic local array of two dimensions, with padding against bank conflicts.
//! launch: (16, 8) / (8, 4)
//! sizes: (1, 1), (3, 1), (8, 1), (7, 5)
//! arg a: small_ints((G[1], G[0]))
//! arg out: zeros((G[1], G[0]), int32)
//| b = a.reshape(N[1], L[1], N[0], L[0])
//| out.reshape(N[1], L[1], N[0], L[0])[:] = b[:, ::-1, :, ::-1]
kernel void two_dimensional_array(global const int *a, global int *out) {
    local int t[5][9];
    int x = get_local_id(0), y = get_local_id(1), w = get_global_size(0);
    int i = get_global_id(1) * w + get_global_id(0);
    t[y][x] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[get_local_size(1) - 1 - y][get_local_size(0) - 1 - x];
}
