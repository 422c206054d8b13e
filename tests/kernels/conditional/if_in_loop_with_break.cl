// Conditional barriers, a break and a continue in one loop, all decided by the loop's counter.
//! launch: 16 / 8
//! arg a: small_ints(16)
//! arg n: 12
//| g = a.reshape(-1, 8)
//| for k in range(n):
//|     if k % 4 == 0: continue
//|     g += 1
//|     if k % 2: g[:] = g[:, arange(8) ^ 2]
//|     if k == 9: break
//|     g[:] = np.roll(g, -1, axis=1)
kernel void if_in_loop_with_break(global int *a, int n) {
    local int t[8];
    int l = get_local_id(0), i = get_global_id(0), v = a[i];
    for (int k = 0; k < n; k++) {
        if (k % 4 == 0) continue;
        v++;
        if (k & 1) {
            t[l] = v;
            barrier(CLK_LOCAL_MEM_FENCE);
            v = t[l ^ 2];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (k == 9) break;
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[(l + 1) & 7];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = v;
}
