// A private array with run-time indices is written before a barrier and read behind it.
//! launch: 16 / 8
//! arg a: small_ints(16)
//| b = a.reshape(-1, 8)
//| b[:] = b * ((arange(8) + 3) % 5 + 1) + b[:, ::-1]
kernel void array_across_barrier(global int *a) {
    local int t[8];
    int l = get_local_id(0), i = get_global_id(0), p[5];
    for (int k = 0; k < 5; k++) p[k] = a[i] * (k + 1);
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = p[(l + 3) % 5] + t[7 - l];
}
