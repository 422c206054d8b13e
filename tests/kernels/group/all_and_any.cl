// Votes: everyone learns whether all work-items, or any, have something.
//! options: -cl-std=CL3.0
//! launch: 64 / 16
//! launch: 5 / 1
//! launch: 2048 / 1024
//! launch: (14, 10) / (7, 5)
//! launch: (8, 4, 4) / (4, 4, 2)
//! sizes: any
//! arg a: small_ints(prod(G), int32, 0, 3) * rng.integers(-1, 1, prod(N), int32).repeat(prod(L))
//! arg b: zeros(prod(G) * 4, int32)
//| g = a.reshape(-1, prod(L))
//| v = stack([g.all(1), g.any(1), (g == g[:, :1]).all(1), (g == 2).any(1)], 1)
//| b[:] = v.repeat(prod(L), 0).ravel()
kernel void all_and_any(global const int *a, global int *b) {
    size_t items = get_local_size(0) * get_local_size(1) * get_local_size(2);
    size_t group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    size_t i = group * items + get_local_linear_id();
    b[i * 4] = work_group_all(a[i]) != 0;
    b[i * 4 + 1] = work_group_any(a[i]) != 0;
    b[i * 4 + 2] = work_group_all(a[i] == a[group * items]) != 0;
    b[i * 4 + 3] = work_group_any(a[i] == 2) != 0;
}
