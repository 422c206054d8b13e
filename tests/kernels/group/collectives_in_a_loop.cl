// Each iteration scans, reduces and broadcasts what the one before gave, with no other barrier in between.
//! options: -cl-std=CL3.0
//! launch: 24 / 8
//! launch: 14 / 7
//! launch: (4, 3) / (2, 3)
//! sizes: 1, 3, 8, 64, (7, 5), 1024
//! arg a: small_ints(prod(G))
//! arg rounds: 4
//| g = a.reshape(-1, prod(L))
//| for k in range(rounds):
//|     s = g.cumsum(1, dtype=int32)
//|     total = g.sum(1, keepdims=True, dtype=int32)
//|     g[:] = (s ^ total) - s[:, :1] % 17 + k
kernel void collectives_in_a_loop(global int *a, int rounds) {
    size_t items = get_local_size(0) * get_local_size(1);
    size_t i = (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * items + get_local_linear_id();
    int v = a[i];
    for (int k = 0; k < rounds; ++k) {
        int s = work_group_scan_inclusive_add(v);
        int total = work_group_reduce_add(v);
        int first = get_work_dim() == 1 ? work_group_broadcast(s, 0) : work_group_broadcast(s, 0, 0);
        v = (s ^ total) - (first % 17 + (first % 17 < 0 ? 17 : 0)) + k;
    }
    a[i] = v;
}
