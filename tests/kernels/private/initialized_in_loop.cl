// A private array with initial values is fresh in each iteration of a barrier loop.
//! launch: 8 / 4
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 4)
//! arg n: 4
//| for k in range(n):
//|     c = zeros((G[0], 4), int32); c[:] = [1, 2, 3, 4]
//|     c[arange(G[0]), a % 4] += 5
//|     a[:] = c.reshape(-1, L[0], 4).sum(axis=2)[:, ::-1].reshape(-1) * (k + 1) + c[:, 2]
kernel void initialized_in_loop(global int *a, int n) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i];
    for (int k = 0; k < n; k++) {
        int c[4] = {1, 2, 3, 4};
        c[v & 3] += 5;
        t[l] = c[0] + c[1] + c[2] + c[3];
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[items - 1 - l] * (k + 1) + c[2];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = v;
}
