// A histogram with atomics on local memory, added to global memory at the end.
//! launch: 128 / 32
//! sizes: any
//! arg a: small_ints(512, uint8, 0, 16)
//! arg bins: zeros(16, int32)
//| bins[:] = np.bincount(a, minlength=16)
kernel void histogram(global const uchar *a, global int *bins) {
    local int t[16];
    int l = get_local_id(0);
    for (int k = l; k < 16; k += get_local_size(0)) t[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = get_global_id(0); k < 512; k += get_global_size(0)) atomic_inc(&t[a[k]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = l; k < 16; k += get_local_size(0)) atomic_add(&bins[k], t[k]);
}
