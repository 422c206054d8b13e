// A private array declared outside a barrier loop keeps its contents from one iteration to the next.
//! launch: 8 / 4
//! sizes: any
//! arg a: small_ints(G[0])
//! arg n: 6
//| p = zeros((G[0], 4), int32)
//| for k in range(n): p[:, k % 4] += a + k
//| a[:] = (p * [1, 2, 3, 4]).sum(axis=1)
kernel void array_carried_round_loop(global int *a, int n) {
    int i = get_global_id(0), x = a[i], p[4] = {0, 0, 0, 0};
    for (int k = 0; k < n; k++) {
        p[k % 4] += x + k;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = p[0] + 2 * p[1] + 3 * p[2] + 4 * p[3];
}
