// A private table is initialized with addresses of local variables, and indexed at run time.
//! launch: 32 / 8
//! sizes: 8, 64, (7, 5), (4, 4, 4), 1024
//! arg a: small_ints(G[0], int32, 0, 30)
//| for g in a.reshape(-1, L[0]): g[:] = [v + g[[0, 5, 2][v % 3]] for v in g.tolist()]
kernel void table_of_addresses(global int *a) {
    local int t[1024];
    local int *table[3] = {t, t + 5, &t[2]};
    int l = get_local_id(0), i = get_global_id(0), v = a[i];
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = v + *table[v % 3];
}
