// Divergent loops with barriers around them, in a loop that all work-items run equally often.
//! launch: 32 / 16
//! launch: 27 / 9
//! sizes: any
//! arg a: small_ints(G[0], int32, 1, 30)
//| for g in a.reshape(-1, L[0]):
//|     for r in range(3):
//|         t = g.copy()
//|         for l in range(L[0]):
//|             v, n = int(t[(l + 1) % L[0]]), int(t[l])
//|             while v > 0 and n < 50:
//|                 v -= 1 + n % 3
//|                 n += 2
//|             g[l] = n % 31 + 1
kernel void between_barriers(global int *a) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    int n = a[i];
    for (int r = 0; r < 3; r++) {
        t[l] = n;
        barrier(CLK_LOCAL_MEM_FENCE);
        int v = t[(l + 1) % items];
        while (v > 0 && n < 50) {
            v -= 1 + n % 3;
            n += 2;
        }
        n = n % 31 + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = n;
}
