// Some iterations skip the second barrier by a continue, which all work-items take together.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg n: 7
//| g = a.reshape(-1, L[0])
//| for k in range(n):
//|     g[:] = g + g[:, ::-1] if k % 3 == 1 else g + 1
kernel void uniform_continue(global int *a, int n) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    int v = a[i];
    for (int k = 0; k < n; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = v;
        if (k % 3 != 1) {
            v++;
            continue;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        v += t[items - 1 - l];
    }
    a[i] = v;
}
