// A sub-group is a row of 16 work-items in the order of local linear ids; the last one may be shorter.
//! options: -cl-std=CL3.0
//! launch: 64 / 32
//! launch: 40 / 20
//! launch: 6 / 3
//! launch: (14, 10) / (7, 5)
//! launch: (32, 4) / (16, 2)
//! launch: (8, 4, 4) / (4, 4, 2)
//! sizes: any
//! arg b: zeros((prod(G), 6), uint32)
//| items = prod(L)
//| lid = tile(arange(items), prod(N))
//| size = where(lid // 16 == items // 16, items % 16, 16)
//| count = -(-items // 16)
//| b[:] = stack([lid // 16, lid % 16, size, 0 * lid + min(16, items), 0 * lid + count, 0 * lid + count], 1)
kernel void ids_and_sizes(global uint *b) {
    size_t items = get_local_size(0) * get_local_size(1) * get_local_size(2);
    size_t group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    size_t i = group * items + get_local_linear_id();
    b[i * 6] = get_sub_group_id();
    b[i * 6 + 1] = get_sub_group_local_id();
    b[i * 6 + 2] = get_sub_group_size();
    b[i * 6 + 3] = get_max_sub_group_size();
    b[i * 6 + 4] = get_num_sub_groups();
    b[i * 6 + 5] = get_enqueued_num_sub_groups();
}
