// The usual reduction of a work-group: each sub-group sums its values, the first sub-group sums the sums. The
// trip count of a loop is the number of the sub-group, and another loop has a barrier of the work-group.
//! options: -cl-std=CL3.0
//! launch: 256 / 64
//! launch: 64 / 16
//! launch: 40 / 20
//! launch: (32, 8) / (16, 4)
//! sizes: any
//! arg a: small_ints(prod(G), int32, -90, 90)
//! arg b: zeros(prod(G), int32)
//! arg sums: 4 * 512
//| items = prod(L)
//| g = a.reshape(-1, items)
//| total = g.sum(1, dtype=int32)
//| for group in range(len(g)):
//|     for i in range(items):
//|         row = g[group, i // 16 * 16 : i // 16 * 16 + 16]
//|         b[group * items + i] = total[group] + (i // 16) * row.max() + 3 * g[group, 0]
kernel void sub_groups_go_different_ways(global const int *a, global int *b, local int *sums) {
    size_t items = get_local_size(0) * get_local_size(1) * get_local_size(2);
    size_t group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    size_t i = group * items + get_local_linear_id();
    int sum = sub_group_reduce_add(a[i]);
    if (get_sub_group_local_id() == 0)
        sums[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        int part = 0;
        for (uint k = get_sub_group_local_id(); k < get_num_sub_groups(); k += get_sub_group_size())
            part += sums[k];
        part = sub_group_reduce_add(part);
        if (get_sub_group_local_id() == 0)
            sums[0] = part;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int result = sums[0];
    for (uint k = 0; k < get_sub_group_id(); k++)
        result += sub_group_reduce_max(a[i]);
    for (int k = 0; k < 3; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_linear_id() == 0)
            sums[0] = a[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        result += sums[0];
    }
    b[i] = result;
}
