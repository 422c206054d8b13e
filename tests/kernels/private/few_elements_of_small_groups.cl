// Private arrays of few elements, of groups that have more work-items than registers have lanes, but few.
//! launch: 64 / 32
//! launch: 64 / 16
//! launch: 64 / 8
//! sizes: any
//! arg out: zeros(G[0], int32)
//! arg a: small_ints(G[0], low=0, high=8)
//! arg b: small_ints(G[0], low=0, high=8)
//| h = tile(arange(8) + 1, (G[0], 1))
//| rows = arange(G[0])
//| h[rows, a] += 10
//| h[rows, b] *= 3
//| out[:] = h[rows, (a + 1) % 8] + 100 * h[rows, (b + a) % 8]
kernel void few_elements_of_small_groups(global int *out, global const int *a, global const int *b) {
    int gid = get_global_id(0);
    int h[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    h[a[gid]] += 10;
    h[b[gid]] *= 3;
    out[gid] = h[(a[gid] + 1) & 7] + 100 * h[(b[gid] + a[gid]) & 7];
}
