// A value goes to the neighbour through local memory.
//! launch: 64 / 16
//! launch: 21 / 7
//! launch: 3 / 1
//! launch: 1024 / 1024
//! sizes: any
//! arg a: small_ints(G[0])
//! arg tile: L[0] * 4
//| a[:] = np.roll(a.reshape(-1, L[0]), -1, axis=1).reshape(-1)
kernel void neighbour_exchange(global int *a, local int *tile) {
    int l = get_local_id(0), n = get_local_size(0);
    tile[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = tile[l + 1 == n ? 0 : l + 1];
}
