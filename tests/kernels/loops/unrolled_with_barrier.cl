// A loop that is unrolled as its hint says, with a barrier in it: in each iteration a work-item changes what another one
// changed in the iteration before. Nothing but the barrier keeps them apart.
//! launch: 32 / 8
//! launch: 16 / 16
//! arg a: small_ints(G[0])
//! arg n: 5
//! arg tile: L[0] * 4
//| for group in a.reshape(-1, L[0]):
//|     t = group.copy()
//|     for k in range(n):
//|         at = (arange(L[0]) + 3 * k) % L[0]
//|         t[at] = 2 * t[at] + arange(L[0]) - k
//|     for k in range(4):
//|         at = (arange(L[0]) + k) % L[0]
//|         t[at] = t[at] * 3 ^ arange(L[0])
//|     group[:] = t
kernel void unrolled_with_barrier(global int *a, int n, local int *tile) {
    int l = get_local_id(0), size = get_local_size(0);
    tile[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    __attribute__((opencl_unroll_hint(2)))
    for (int k = 0; k < n; k++) {
        int at = (l + 3 * k) % size;
        tile[at] = 2 * tile[at] + l - k;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    __attribute__((opencl_unroll_hint))
    for (int k = 0; k < 4; k++) {
        int at = (l + k) % size;
        tile[at] = tile[at] * 3 ^ l;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[get_global_id(0)] = tile[l];
}
