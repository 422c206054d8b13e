// Memory fences order accesses but do not wait: they are no barriers.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//| a[:] = (a.reshape(-1, L[0])[:, (arange(L[0]) ^ 1) % L[0]] + 1).reshape(-1)
kernel void fences_between(global int *a) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    if (l & 1) mem_fence(CLK_LOCAL_MEM_FENCE);
    t[l] = a[i];
    write_mem_fence(CLK_LOCAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE);
    read_mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    a[i] = t[(l ^ 1) % items] + 1;
}
