// OpenCL 2.0's name for barriers, with and without a scope.
//! options: -cl-std=CL3.0
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//| a[:] = np.roll(a.reshape(-1, L[0]), -5, axis=1).reshape(-1)
kernel void uses_work_group_barrier(global int *a) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    t[(l + 1) % items] = a[i];
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    int v = t[(l + 6) % items];
    work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_work_group);
    a[i] = v;
}
