// Sub-groups wait between functions that all work-items of the work-group call together.
//! options: -cl-std=CL3.0
//! launch: 96 / 48
//! launch: 64 / 64
//! arg a: small_ints(G[0])
//! arg out: zeros(G[0], dtype=int32)
//| for group in range(N[0]):
//|     part = a[group * L[0] : (group + 1) * L[0]].astype(np.int64)
//|     rows = np.arange(L[0]) // 16
//|     scan = np.cumsum(part + rows)
//|     out[group * L[0] : (group + 1) * L[0]] = (scan + part.sum() + scan.max()).astype(np.int32)
kernel void group_functions(global const int *a, global int *out) {
    local atomic_int token;
    int id = get_local_id(0), row = id / 16, rows = (get_local_size(0) + 15) / 16;
    int sum = work_group_reduce_add(a[get_global_id(0)]);
    if (id == 0)
        atomic_init(&token, rows - 1);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (id % 16 == 0) {
        while (atomic_load(&token) != row)
            ;
        atomic_store(&token, row - 1);
    }
    int scan = work_group_scan_inclusive_add(a[get_global_id(0)] + row);
    if (id % 16 == 3)
        while (atomic_load(&token) >= 0)
            ;
    out[get_global_id(0)] = scan + sum + work_group_reduce_max(scan);
}
