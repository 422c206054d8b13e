// Several cases of a switch with barriers go to the same place, which takes different values from others.
//! launch: 48 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//| for n, g in enumerate(a.reshape(-1, L[0])):
//|     if n in (0, 2, 5): g[:] = g[::-1] + 7
//|     elif n == 1: g[:] = np.roll(g, -1) * 3 + 9
//|     else: g += 9
kernel void switch_cases_share_target(global int *a) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i], extra = 9;
    t[l] = v;
    switch (get_group_id(0)) {
    case 0:
    case 2:
    case 5:
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[items - 1 - l];
        extra = 7;
        break;
    case 1:
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[(l + 1) % items] * 3;
    case 3:
    case 4: break;
    }
    a[i] = v + extra;
}
