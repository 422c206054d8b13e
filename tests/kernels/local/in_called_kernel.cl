// A kernel with local memory is called as a function, twice.
//! kernel: outer
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//| g = a.reshape(-1, L[0])
//| for distance in 3, 4: g[:] = g[:, (arange(L[0]) ^ distance) % L[0]]
kernel void inner(global int *a, int distance) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = t[(l ^ distance) % items];
    barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void outer(global int *a) {
    local int t[1024];
    t[get_local_id(0)] = 3;
    inner(a, t[get_local_id(0)]);
    inner(a, 4);
}
