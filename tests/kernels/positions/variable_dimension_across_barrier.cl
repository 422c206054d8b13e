// An id in a dimension known at run time only lives across a barrier.
//! launch: (6, 4) / (3, 2)
//! sizes: (1, 1), (3, 1), (8, 1), (64, 1), (7, 5), (1024, 1)
//! arg d: 1
//! arg out: zeros((G[1], G[0]), int32)
//| x, y = ids()
//| out[:] = y * 100 + y % L[1] * 10 + y // L[1]
kernel void variable_dimension_across_barrier(uint d, global int *out) {
    size_t id = get_global_id(d), local_id = get_local_id(d), group = get_group_id(d);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = id * 100 + local_id * 10 + group;
}
