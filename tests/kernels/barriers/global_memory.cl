// Work-items of a group see each other's writes to global memory behind a barrier.
//! launch: (8, 4) / (8, 2)
//! arg a: small_ints((4, 8))
//! arg out: zeros((4, 8), int32)
//| a += 1
//| g = a.reshape(2, 2, 8)
//| out.reshape(2, 2, 8)[:] = g[:, ::-1, ::-1]
kernel void global_memory(global int *a, global int *out) {
    int x = get_global_id(0), y = get_global_id(1);
    a[y * 8 + x] += 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    int row = get_group_id(1) * 2 + 1 - get_local_id(1);
    out[y * 8 + x] = a[row * 8 + 7 - x];
}
