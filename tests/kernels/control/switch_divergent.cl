// A switch with different cases for different work-items, gaps and a default.
//! launch: 32 / 8
//! sizes: any
//! arg a: small_ints(G[0], int32, -3, 12)
//| f = {0: 5, 1: 8, 2: 8, 5: -1, 9: 100}
//| a[:] = [f.get(v, v * 2) for v in a.tolist()]
kernel void switch_divergent(global int *a) {
    int i = get_global_id(0), v = a[i];
    switch (v) {
    case 0: v = 5; break;
    case 1:
    case 2: v = 8; break;
    case 5: v = -1; break;
    case 9: v = 100; break;
    default: v *= 2;
    }
    a[i] = v;
}
