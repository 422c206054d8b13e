// An id in a dimension known at run time only lives across a barrier.
//! launch: (6, 4) / (3, 2)
//! arg d: 1
//! arg out: zeros((4, 6), int32)
//| x, y = ids()
//| out[:] = y * 100 + y % 2 * 10 + y // 2
kernel void variable_dimension_across_barrier(uint d, global int *out) {
    size_t id = get_global_id(d), local_id = get_local_id(d), group = get_group_id(d);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(1) * 6 + get_global_id(0)] = id * 100 + local_id * 10 + group;
}
