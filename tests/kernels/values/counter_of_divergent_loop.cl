// The counter of a divergent loop is used after a barrier.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0], int32, 1, 2000)
//! arg limit: 30
//| steps = []
//| for v in a.tolist():
//|     k = 0
//|     while v != 1 and k < limit: v, k = (v * 3 + 1 if v % 2 else v // 2), k + 1
//|     steps.append(k)
//| s = array(steps).reshape(-1, L[0])
//| a[:] = (s * 100 + s[:, ::-1]).reshape(-1)
kernel void counter_of_divergent_loop(global int *a, int limit) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i], k = 0;
    while (v != 1 && k < limit) {
        v = (v & 1) ? v * 3 + 1 : v / 2;
        k++;
    }
    t[l] = k;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = k * 100 + t[items - 1 - l];
}
