// Sub-groups of the last work-groups are fewer, and the last of them is smaller.
//! options: -cl-std=CL3.0
//! launch: (150, 1) / (40, 1)
//! launch: (21, 10) / (8, 4)
//! arg out: zeros(6 * G[0] * G[1], uint32)
//| found = out.reshape(-1, 6)
//| for gy in range(-(-G[1] // L[1])):
//|     for gx in range(-(-G[0] // L[0])):
//|         x, y = min(L[0], G[0] - gx * L[0]), min(L[1], G[1] - gy * L[1])
//|         items = [(gy * L[1] + j) * G[0] + gx * L[0] + i for j in range(y) for i in range(x)]
//|         for l, item in enumerate(items):
//|             row = items[l // 16 * 16:][:16]
//|             enqueued = -(-L[0] * L[1] // 16)
//|             found[item] = (len(row), l // 16, l % 16, -(-len(items) // 16), enqueued, sum(row))
kernel void rows_of_work_items(global uint *out) {
    uint g = get_global_linear_id();
    global uint *own = out + g * 6;
    own[0] = get_sub_group_size();
    own[1] = get_sub_group_id();
    own[2] = get_sub_group_local_id();
    own[3] = get_num_sub_groups();
    own[4] = get_enqueued_num_sub_groups();
    own[5] = sub_group_reduce_add(g);
}
