// A value has uniform operands, but only some work-items compute it: it is varying after the branch.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg n: 5
//| v = where(a > 0, n * n + 1, n)
//| for k in range(3): v = where((a + k) % 2 == 1, v + n, v)
//| a[:] = v
kernel void uniform_under_divergent_branch(global int *a, int n) {
    int i = get_global_id(0), x = a[i], v = n;
    if (x > 0) v = n * n + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 3; k++) {
        if ((x + k) & 1) v += n;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = v;
}
