// An inclusive prefix sum (Hillis and Steele) with two buffers that change places.
//! launch: 96 / 32
//! launch: 14 / 7
//! sizes: any
//! arg a: small_ints(G[0])
//! arg t: 2 * L[0] * 4
//| g = a.reshape(-1, L[0])
//| g[:] = cumsum(g, axis=1)
kernel void inclusive_scan(global int *a, local int *t) {
    int l = get_local_id(0), n = get_local_size(0), in = 0, out = 1;
    t[l] = a[get_global_id(0)];
    for (int d = 1; d < n; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        t[out * n + l] = t[in * n + l] + (l >= d ? t[in * n + l - d] : 0);
        in ^= 1;
        out ^= 1;
    }
    a[get_global_id(0)] = t[in * n + l];
}
