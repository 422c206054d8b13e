// The first work-item decides for all through local memory whether there is another round.
//! launch: 24 / 8
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 40)
//! arg rounds: zeros(3, int32)
//| for n, g in enumerate(a.reshape(-1, L[0])):
//|     while g.max() > 7:
//|         g[:] = g // 2 + (arange(L[0]) == 0)
//|         rounds[n] += 1
kernel void condition_from_local_memory(global int *a, global int *rounds) {
    local int t[1024];
    local int again;
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i], count = 0;
    while (true) {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l == 0) {
            int m = 0;
            for (int k = 0; k < items; k++) m = max(m, t[k]);
            again = m > 7;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!again) break;
        v = v / 2 + (l == 0);
        count++;
    }
    a[i] = v;
    if (l == items - 1) rounds[get_group_id(0)] = count;
}
