// A global offset shows in global ids and nowhere else.
//! launch: 24 / 8 + 1000
//! arg out: zeros((24, 3), int32)
//| i = arange(24)
//| out[:] = stack([i + 1000, i % 8, i // 8], axis=1)
kernel void offset_in_ids(global int *out) {
    size_t g = get_global_id(0), i = g - get_global_offset(0);
    out[i * 3] = g;
    out[i * 3 + 1] = get_local_id(0);
    out[i * 3 + 2] = get_group_id(0);
}
