// Conditional barriers, a break and a continue in one loop, all decided by the loop's counter.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg n: 12
//| g = a.reshape(-1, L[0])
//| for k in range(n):
//|     if k % 4 == 0: continue
//|     g += 1
//|     if k % 2: g[:] = g[:, (arange(L[0]) ^ 2) % L[0]]
//|     if k == 9: break
//|     g[:] = np.roll(g, -1, axis=1)
kernel void if_in_loop_with_break(global int *a, int n) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i];
    for (int k = 0; k < n; k++) {
        if (k % 4 == 0) continue;
        v++;
        if (k & 1) {
            t[l] = v;
            barrier(CLK_LOCAL_MEM_FENCE);
            v = t[(l ^ 2) % items];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (k == 9) break;
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[(l + 1) % items];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = v;
}
