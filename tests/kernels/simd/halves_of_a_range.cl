// The first work-items add, the others multiply, into different buffers: the index set is split between them.
//! launch: 128 / 128
//! launch: 45 / 9
//! sizes: any
//! arg a: small_ints(G[0], int32, -9, 9)
//! arg b: small_ints(G[0], int32, -9, 9)
//! arg sums: zeros(G[0], int32)
//! arg products: zeros(G[0], int32)
//! arg m: G[0] // 3
//| m = G[0] // 3
//| sums[:m] = a[:m] + b[:m]
//| products[m:] = a[m:] * b[m:]
kernel void halves_of_a_range(global const int *a, global const int *b, global int *sums, global int *products, int m) {
    int i = get_global_id(0);
    if (i < m)
        sums[i] = a[i] + b[i];
    else
        products[i] = a[i] * b[i];
}
