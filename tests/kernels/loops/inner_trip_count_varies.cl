// The inner barrier loop runs 0, 1, 2, … times as the outer loop goes on.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg n: 5
//| g = a.reshape(-1, L[0])
//| for j in range(n):
//|     for k in range(j): g[:] = g[:, (arange(L[0]) ^ 1) % L[0]] + k
//|     g += 1
kernel void inner_trip_count_varies(global int *a, int n) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i];
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++) {
            t[l] = v;
            barrier(CLK_LOCAL_MEM_FENCE);
            v = t[(l ^ 1) % items] + k;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        v++;
    }
    a[i] = v;
}
