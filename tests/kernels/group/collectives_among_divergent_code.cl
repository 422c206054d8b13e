// Work-items reach the collectives by different paths, with values that are live after them.
//! options: -cl-std=CL3.0
//! launch: 40 / 8
//! launch: (6, 4) / (3, 2)
//! sizes: 1, 3, 8, 64, (7, 5), 1024
//! arg a: small_ints(prod(G))
//! arg b: zeros(prod(G), int32)
//| g = a.reshape(-1, prod(L))
//| v = where(g > 0, g * 3, g - 7)
//| w = where(g % 2 == 0, abs(g), 0)
//| b[:] = (v.max(1, keepdims=True) - v + where(g > 10, w.cumsum(1) - w, 5) + g).ravel()
int largest(int v) { return work_group_reduce_max(v); }
kernel void collectives_among_divergent_code(global const int *a, global int *b) {
    size_t items = get_local_size(0) * get_local_size(1);
    size_t i = (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * items + get_local_linear_id();
    int x = a[i], v, w = 0;
    if (x > 0)
        v = x * 3;
    else
        v = x - 7;
    int m = largest(v);
    if (x % 2 == 0)
        for (int k = 0; k < abs(x); ++k) ++w;
    int before = work_group_scan_exclusive_add(w);
    b[i] = m - v + (x > 10 ? before : 5) + x;
}
