// The trip count is the same for 32 work-items in a row (a sparse matrix in JDS form); some rows are missing.
//! launch: 128 / 64
//! launch: 96 / 24
//! sizes: any
//! arg bound: (arange(G[0] // 32 + 1) * 5 % 7).astype(int32)
//! arg start: (arange(8) * G[0]).astype(int32)
//! arg index: (arange(8 * G[0]) * 13 % G[0]).astype(int32)
//! arg data: small_ints(8 * G[0])
//! arg x: small_ints(G[0])
//! arg perm: (G[0] - 1 - arange(G[0])).astype(int32)
//! arg out: zeros(G[0], int32)
//| for i in range(G[0]):
//|     at = [start[k] + i for k in range(bound[i // 32])]
//|     out[perm[i]] = sum(data[j] * x[index[j]] for j in at)
kernel void uniform_by_sub_group(global const int *bound, global const int *start, global const int *index,
                                 global const int *data, global const int *x, global const int *perm,
                                 global int *out) {
    int i = get_global_id(0), n = bound[i / 32], sum = 0;
    for (int k = 0; k < n; k++) {
        int j = start[k] + i;
        sum += data[j] * x[index[j]];
    }
    out[perm[i]] = sum;
}
