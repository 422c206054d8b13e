// A switch whose cases have none, one or two barriers, with a fall-through.
//! launch: 40 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//| for n, g in enumerate(a.reshape(-1, L[0])):
//|     if n == 0: g[:] = g[::-1].copy()
//|     if n == 1: g[:] = np.roll(g, -1) + 10
//|     if n in (1, 2): g[:] = np.roll(g, -1)
//|     if n == 3: g[:] = 0
//|     if n == 4: g += 5
kernel void switch_with_barriers(global int *a) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i];
    switch (get_group_id(0)) {
    case 0:
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[items - 1 - l];
        break;
    case 1:
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[(l + 1) % items] + 10;
        barrier(CLK_LOCAL_MEM_FENCE);
    case 2:
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[(l + 1) % items];
        break;
    case 3:
        v = 0;
        break;
    default:
        v += 5;
    }
    a[i] = v;
}
