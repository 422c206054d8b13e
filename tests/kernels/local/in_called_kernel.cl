// A kernel with local memory is called as a function, twice.
//! kernel: outer
//! launch: 16 / 8
//! arg a: small_ints(16)
//| a[:] = a.reshape(-1, 8)[:, ::-1].reshape(-1)
kernel void inner(global int *a, int distance) {
    local int t[8];
    int l = get_local_id(0), i = get_global_id(0);
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = t[l ^ distance];
    barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void outer(global int *a) {
    local int t[8];
    t[get_local_id(0)] = 3;
    inner(a, t[get_local_id(0)]);
    inner(a, 4);
}
