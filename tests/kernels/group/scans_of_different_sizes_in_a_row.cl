// The results of a scan are still there for the others when a scan of a wider type follows at once.
//! options: -cl-std=CL3.0
//! launch: 48 / 16
//! launch: 10 / 5
//! sizes: any
//! arg a: small_ints(G[0])
//! arg b: zeros(G[0], int64)
//| g = a.reshape(-1, L[0]).astype(int64)
//| b[:] = ((g.cumsum(1) * 3).cumsum(1) + g.cumsum(1)[:, -1:]).ravel()
kernel void scans_of_different_sizes_in_a_row(global const int *a, global long *b) {
    size_t i = get_global_id(0);
    long s = work_group_scan_inclusive_add(work_group_scan_inclusive_add(a[i]) * 3L);
    b[i] = s + work_group_reduce_add(a[i]);
}
