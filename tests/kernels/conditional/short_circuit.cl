// The condition of a barrier is a chain of && and ||.
//! launch: 32 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg p: 1
//! arg q: 0
//! arg r: 2
//| for n, g in enumerate(a.reshape(-1, L[0])):
//|     if (p and n != 1) or (q and r > 1): g[:] = g[::-1].copy()
kernel void short_circuit(global int *a, int p, int q, int r) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    t[l] = a[i];
    if ((p && get_group_id(0) != 1) || (q && r > 1)) {
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = t[items - 1 - l];
    }
}
