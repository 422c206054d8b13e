// Private arrays declared inside a barrier loop: one is used in one region, the other one in two.
//! launch: 8 / 4
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 50)
//! arg n: 3
//| for k in range(n):
//|     a[:] = (a + a % 4).reshape(-1, L[0])[:, ::-1].reshape(-1) + a * (k + 1)
kernel void array_declared_in_loop(global int *a, int n) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i];
    for (int k = 0; k < n; k++) {
        int one[4], two[8];
        for (int j = 0; j < 4; j++) one[j] = v + j;
        for (int j = 0; j < 8; j++) two[j] = v * j;
        t[l] = one[v & 3];
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[items - 1 - l] + two[(k + 1) & 7];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = v;
}
