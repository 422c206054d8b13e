// A do-while loop runs its barrier at least once.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg n: 0
//| g = a.reshape(-1, L[0])
//| g[:] = g[:, ::-1].copy()
kernel void do_while(global int *a, int n) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), k = 0;
    t[l] = a[i];
    do {
        barrier(CLK_LOCAL_MEM_FENCE);
        int v = t[items - 1 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = v;
        k++;
    } while (k < n);
    a[i] = t[l];
}
