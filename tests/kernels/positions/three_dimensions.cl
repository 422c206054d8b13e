// All ids and sizes in three dimensions, with odd sizes and an offset.
//! launch: (6, 4, 9) / (3, 2, 3) + (10, 20, 30)
//! launch: (5, 3, 2) / (5, 1, 2)
//! launch: (4, 4, 4) / (1, 1, 1)
//! sizes: (1, 1, 1), (3, 1, 1), (8, 1, 1), (64, 1, 1), (7, 5, 1), (4, 4, 4), (1024, 1, 1)
//! arg out: zeros((*G[::-1], 3), int32)
//! arg sizes: zeros(16, int32)
//| i = ids()
//| for d in range(3): out[..., d] = i[d] * 10000 + ((i[d] - O[d]) // L[d]) * 100 + (i[d] - O[d]) % L[d]
//| sizes[:15] = [*G, *L, *N, *O, 3, 1, 0]
kernel void three_dimensions(global int *out, global int *sizes) {
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    size_t z = get_global_id(2) - get_global_offset(2);
    size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;
    out[i * 3] = get_global_id(0) * 10000 + get_group_id(0) * 100 + get_local_id(0);
    out[i * 3 + 1] = get_global_id(1) * 10000 + get_group_id(1) * 100 + get_local_id(1);
    out[i * 3 + 2] = get_global_id(2) * 10000 + get_group_id(2) * 100 + get_local_id(2);
    if (i == 0) {
        sizes[0] = get_global_size(0); sizes[1] = get_global_size(1); sizes[2] = get_global_size(2);
        sizes[3] = get_local_size(0); sizes[4] = get_local_size(1); sizes[5] = get_local_size(2);
        sizes[6] = get_num_groups(0); sizes[7] = get_num_groups(1); sizes[8] = get_num_groups(2);
        sizes[9] = get_global_offset(0); sizes[10] = get_global_offset(1); sizes[11] = get_global_offset(2);
        sizes[12] = get_work_dim(); sizes[13] = get_global_size(3); sizes[14] = get_global_id(7);
    }
}
