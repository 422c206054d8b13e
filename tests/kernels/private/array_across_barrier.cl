// A private array with run-time indices is written before a barrier and read after it.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//| b = a.reshape(-1, L[0])
//| b[:] = b * ((arange(L[0]) + 3) % 5 + 1) + b[:, ::-1]
kernel void array_across_barrier(global int *a) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), p[5];
    for (int k = 0; k < 5; k++) p[k] = a[i] * (k + 1);
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = p[(l + 3) % 5] + t[items - 1 - l];
}
