// Several cases of a switch choose the same constant address of a local variable.
//! launch: 16 / 8
//! sizes: 8, 64, (7, 5), (4, 4, 4), 1024
//! arg a: small_ints(G[0], int32, 0, 6)
//| for g in a.reshape(-1, L[0]): g[:] = [v + {0: g[3], 2: g[3], 3: g[5], 5: g[3]}.get(v, g[0]) for v in g.tolist()]
kernel void addresses_in_switch(global int *a) {
    local int t[1024];
    int l = get_local_id(0), i = get_global_id(0), v = a[i];
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *p;
    switch (v) {
    case 0:
    case 2:
    case 5: p = &t[3]; break;
    case 3: p = &t[5]; break;
    default: p = &t[0];
    }
    a[i] = v + *p;
}
