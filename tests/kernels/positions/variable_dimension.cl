// The dimension is known at run time only, also one that does not exist.
//! launch: (6, 4) / (3, 2) + (5, 7)
//! arg out: zeros((4, 6, 5), int32)
//| x, y = ids()
//| out[..., 0] = x + 6 * 100; out[..., 1] = y + 4 * 100; out[..., 2] = 100; out[..., 3] = 100; out[..., 4] = 100
kernel void variable_dimension(global int *out) {
    size_t i = (get_global_id(1) - 7) * 6 + get_global_id(0) - 5;
    for (uint d = 0; d < 5; d++) out[i * 5 + d] = get_global_id(d) + get_global_size(d) * 100;
}
