// reqd_work_group_size fixes the local size.
//! launch: (8, 6) / (4, 3)
//! arg out: zeros((6, 8), int32)
//| out[:] = 43
__attribute__((reqd_work_group_size(4, 3, 1))) kernel void required_size(global int *out) {
    out[get_global_id(1) * 8 + get_global_id(0)] = get_local_size(0) * 10 + get_local_size(1);
}
