// Several values are carried round a barrier loop: they change places in each iteration.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg b: eighths(G[0])
//! arg n: 5
//| x = a.reshape(-1, L[0]).astype(float32); y = b.reshape(-1, L[0]).copy(); z = x + y
//| for k in range(n): x, y, z = y, z, x[:, ::-1] + 1
//| a[:] = (x * 8).astype(int32).reshape(-1)
//| b[:] = (y - z).reshape(-1)
kernel void carried_values(global int *a, global float *b, int n) {
    local float t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    float x = a[i], y = b[i], z = x + y;
    for (int k = 0; k < n; k++) {
        t[l] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        float old = t[items - 1 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        x = y;
        y = z;
        z = old + 1;
    }
    a[i] = (int)(x * 8);
    b[i] = y - z;
}
