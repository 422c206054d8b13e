// Work-items of a group see each other's writes to global memory after a barrier.
//! launch: (8, 4) / (8, 2)
//! sizes: (1, 1), (3, 1), (8, 1), (64, 1), (7, 5), (1024, 1)
//! arg a: small_ints((G[1], G[0]))
//! arg out: zeros((G[1], G[0]), int32)
//| a += 1
//| g = a.reshape(N[1], L[1], G[0])
//| out.reshape(N[1], L[1], G[0])[:] = g[:, ::-1, ::-1]
kernel void global_memory(global int *a, global int *out) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_local_size(1);
    a[y * w + x] += 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    int row = get_group_id(1) * h + h - 1 - get_local_id(1);
    out[y * w + x] = a[row * w + w - 1 - x];
}
