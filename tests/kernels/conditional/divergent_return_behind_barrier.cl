// Single work-items return behind the last barrier.
//! launch: 32 / 8
//! arg a: small_ints(32)
//| g = a.reshape(-1, 8)
//| r = g[:, ::-1]
//| g[:] = where(r < 0, g, r)
kernel void divergent_return_behind_barrier(global int *a) {
    local int t[8];
    int l = get_local_id(0), i = get_global_id(0);
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = t[7 - l];
    if (v < 0) return;
    a[i] = v;
}
