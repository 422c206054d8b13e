// Work-item 0 reads an element that another address names, and each reads its own by another expression,
// without a barrier after the stores: baseline code has one there.
//! launch: 64 / 16
//! launch: 12 / 4
//! launch: 7 / 1
//! arg a: small_ints(G[0])
//! arg out: zeros(G[0], int32)
//! arg tile: L[0] * 4
//| for group, result in zip(a.reshape(-1, L[0]), out.reshape(-1, L[0])):
//|     result[:] = group * 3
//|     result[0] += group[0]
kernel void k(global const int *a, global int *out, local int *tile) {
    size_t l = get_local_id(0), i = get_global_id(0);
    tile[l] = a[i];
    int first = 0;
    if (l == 0)
        first = tile[0];
    tile[l] = a[i] * 3;
    size_t own = i % get_local_size(0);
    out[i] = tile[own] + first;
}
