// Functions of the work-group and of the sub-group alternate, on the same types: a sub-group that continues leaves the
// results of the work-group to the others.
//! options: -cl-std=CL3.0
//! launch: 128 / 64
//! launch: 80 / 40
//! sizes: any
//! arg a: small_ints(prod(G), int32, -90, 90)
//! arg b: zeros(prod(G), int32)
//| items = prod(L)
//| for start in range(0, len(a), items):
//|     g = a[start : start + items]
//|     for i in range(items):
//|         row = g[i // 16 * 16 : i // 16 * 16 + 16]
//|         b[start + i] = 1000 * g.sum() + row.sum() + 7 * g.max() - row.max() + g[: i + 1].sum()
kernel void with_work_group_functions(global const int *a, global int *b) {
    size_t i = get_global_id(0);
    int sum = work_group_reduce_add(a[i]);
    int sum_of_row = sub_group_reduce_add(a[i]);
    int most = work_group_reduce_max(a[i]);
    int most_of_row = sub_group_reduce_max(a[i]);
    int sum_so_far = work_group_scan_inclusive_add(a[i]);
    b[i] = 1000 * sum + sum_of_row + 7 * most - most_of_row + sum_so_far;
}
