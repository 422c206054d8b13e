// Indices that are a permutation of each block of lanes: exchanged pairs, reversed fours, swapped halves of eight.
//! launch: 64 / 32
//! launch: 48 / 24
//! launch: 40 / 20
//! arg a: arange(G[0], dtype=int32) * 3
//! arg b: zeros(3 * G[0], int32)
//| n = G[0]
//| for i in range(n):
//|     b[i ^ 1] = int(a[i]) + int(a[i ^ 1])
//|     b[n + i] = a[i ^ 3]
//|     b[2 * n + (i ^ 4)] = a[i ^ 4]
kernel void neighbours(global const int *a, global int *b) {
    int i = get_global_id(0), n = get_global_size(0);
    b[i ^ 1] = a[i] + a[i ^ 1];
    b[n + i] = a[i ^ 3];
    b[2 * n + (i ^ 4)] = a[i ^ 4];
}
