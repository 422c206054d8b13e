// A global offset shows in global ids and nowhere else.
//! launch: 24 / 8 + 1000
//! sizes: any
//! arg out: zeros((G[0], 3), int32)
//| i = arange(G[0])
//| out[:] = stack([i + O[0], i % L[0], i // L[0]], axis=1)
kernel void offset_in_ids(global int *out) {
    size_t g = get_global_id(0), i = g - get_global_offset(0);
    out[i * 3] = g;
    out[i * 3 + 1] = get_local_id(0);
    out[i * 3 + 2] = get_group_id(0);
}
