// Functions query ids, sizes and groups, also in a dimension that is known only at run time.
//! options: -cl-std=CL3.0
//! launch: (12, 6) / (4, 3)
//! launch: (8, 4) / (2, 4) + (3, 5)
//! arg a: zeros(G[0] * G[1], dtype=int32)
//| y, x = np.divmod(arange(G[0] * G[1]), G[0])
//| ids, local, group = (x + O[0], y + O[1], 0), (x % L[0], y % L[1], 0), (x // L[0], y // L[1], 0)
//| sizes = (G[0], G[1], 1, 1)
//| d = (x + y) % 4
//| chosen = np.choose(d, [ids[0], ids[1], 0 * x, 0 * x]) + np.choose(d, list(sizes)) * 1000
//| linear = local[1] * L[0] + local[0]
//| a[:] = chosen + 7 * (local[0] + 10 * group[0] + 100 * local[1]) + 3 * linear + 100000 * len(G)
int asked(uint d) { return get_global_id(d) + get_global_size(d) * 1000; }
int in_group(void) { return get_local_id(0) + 10 * get_group_id(0) + 100 * get_local_id(1); }
int outer(uint d, int factor) {
    int all = asked(d);
    if (factor > 3) all += factor * in_group();
    return all + 3 * (int)get_local_linear_id() + 100000 * get_work_dim() + (int)get_global_id(5);
}
kernel void ids_in_functions(global int *a) {
    int x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    a[y * get_global_size(0) + x] = outer((x + y) & 3, 7);
}
