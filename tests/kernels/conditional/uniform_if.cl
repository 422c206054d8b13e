// A barrier in an if whose condition is an argument: taken, and not taken.
//! launch: 16 / 8
//! launch: 8 / 8
//! arg a: small_ints(G[0])
//! arg on: 1 if G[0] == 16 else 0
//| if on: a[:] = a.reshape(-1, 8)[:, ::-1].reshape(-1)
//| a += 1
kernel void uniform_if(global int *a, int on) {
    local int t[8];
    int l = get_local_id(0), i = get_global_id(0);
    int v = a[i];
    if (on) {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[7 - l];
    }
    a[i] = v + 1;
}
