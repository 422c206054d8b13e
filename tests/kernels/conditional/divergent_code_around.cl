// A divergent if before a conditional barrier writes a value that is used after it.
//! launch: 32 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg on: 1
//| g = a.reshape(-1, L[0])
//| v = where(g > 0, g * 3, g)
//| g[:] = where(g > 0, v + v[:, ::-1], v[:, ::-1] - 1)
kernel void divergent_code_around(global int *a, int on) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i];
    bool positive = v > 0;
    if (positive) v *= 3;
    int r = 0;
    if (on) {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        r = t[items - 1 - l];
    }
    if (positive)
        r += v;
    else
        r -= 1;
    a[i] = r;
}
