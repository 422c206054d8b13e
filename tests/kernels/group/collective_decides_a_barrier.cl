// What a vote or a reduction gives is the same for all, so it may decide about barriers and loops.
//! options: -cl-std=CL3.0
//! launch: 64 / 8
//! launch: 21 / 7
//! launch: 4 / 1
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 12)
//! arg rounds: zeros(N[0], int32)
//| for g, r in zip(a.reshape(-1, L[0]), range(N[0])):
//|     while (g != 0).any():
//|         rounds[r] += 1
//|         if g.sum() > 20:
//|             g[:] = g[::-1] // 2
//|         else:
//|             g[g > 0] -= 1
kernel void collective_decides_a_barrier(global int *a, global int *rounds) {
    local int t[1024];
    size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    int v = a[i], count = 0;
    while (work_group_any(v)) {
        ++count;
        if (work_group_reduce_add(v) > 20) {
            t[l] = v;
            barrier(CLK_LOCAL_MEM_FENCE);
            v = t[n - 1 - l] / 2;
            barrier(CLK_LOCAL_MEM_FENCE);
        } else if (v > 0)
            --v;
    }
    a[i] = v;
    if (l == 0) rounds[get_group_id(0)] = count;
}
