// Private arrays of groups that have more work-items than registers have lanes, but few.
//! launch: 64 / 32
//! launch: 64 / 16
//! launch: 64 / 8
//! sizes: any
//! arg out: zeros(G[0], int32)
//! arg a: small_ints(G[0], low=0, high=40)
//! arg b: small_ints(G[0], low=0, high=40)
//| out[:] = where(a == b, 303, 310)
kernel void arrays_of_small_groups(global int *out, global const int *a, global const int *b) {
    int gid = get_global_id(0);
    int h[40];
    h[a[gid]] = 10;
    h[b[gid]] = 3;
    out[gid] = h[a[gid]] + 100 * h[b[gid]];
}
