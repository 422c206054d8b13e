// Memory fences order accesses but do not wait: they are no barriers.
//! launch: 16 / 8
//! arg a: small_ints(16)
//| a[:] = a[arange(16) ^ 1] + 1
kernel void fences_between(global int *a) {
    local int t[8];
    int l = get_local_id(0), i = get_global_id(0);
    if (l & 1) mem_fence(CLK_LOCAL_MEM_FENCE);
    t[l] = a[i];
    write_mem_fence(CLK_LOCAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE);
    read_mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    a[i] = t[l ^ 1] + 1;
}
