// Three exits of a loop, two of them decided by values in local memory that all work-items read alike.
//! launch: 32 / 8
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 20)
//! arg how: zeros(4, int32)
//| for n, g in enumerate(a.reshape(-1, L[0])):
//|     for k in range(6):
//|         m = g.max()
//|         if m > 60: how[n] = 1; break
//|         if g[0] % 5 == 4: how[n] = 2; break
//|         g += g[::-1] // 2 + 1
//|     else: how[n] = 3
kernel void several_exits(global int *a, global int *how) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i], reason = 3;
    for (int k = 0; k < 6; k++) {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        int m = t[0];
        for (int j = 1; j < items; j++) m = max(m, t[j]);
        if (m > 60) {
            reason = 1;
            break;
        }
        int other = t[items - 1 - l], first = t[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (first % 5 == 4) {
            reason = 2;
            break;
        }
        v += other / 2 + 1;
    }
    a[i] = v;
    if (l == 0) how[get_group_id(0)] = reason;
}
