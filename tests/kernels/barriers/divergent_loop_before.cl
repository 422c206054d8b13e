// A loop with a divergent trip count before a barrier, and another one after it.
//! launch: 24 / 8
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 9)
//| f = array([prod(arange(1, n + 1, dtype=int64)) for n in a]).reshape(-1, L[0])
//| r = np.roll(f, -1, axis=1)
//| a[:] = array([[bin(v).count("1") for v in row] for row in r]).reshape(-1)
kernel void divergent_loop_before(global int *a) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    int product = 1;
    for (int k = 2; k <= a[i]; k++) product *= k;
    t[l] = product;
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = t[(l + 1) % items], ones = 0;
    while (v) {
        ones += v & 1;
        v >>= 1;
    }
    a[i] = ones;
}
