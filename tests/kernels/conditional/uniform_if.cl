// A barrier in an if whose condition is an argument: taken, and not taken.
//! launch: 16 / 8
//! launch: 8 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg on: 0 if G[0] == 8 else 1
//| if on: a[:] = a.reshape(-1, L[0])[:, ::-1].reshape(-1)
//| a += 1
kernel void uniform_if(global int *a, int on) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    int v = a[i];
    if (on) {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[items - 1 - l];
    }
    a[i] = v + 1;
}
