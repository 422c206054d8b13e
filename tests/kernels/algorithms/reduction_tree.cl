// The sum of each group by a tree in local memory.
//! launch: 256 / 64
//! launch: 1024 / 1024
//! sizes: 1, 8, 64, (4, 4, 4), 1024
//! arg a: eighths(G[0])
//! arg out: zeros(N[0], float32)
//! arg t: L[0] * 4
//| out[:] = a.reshape(-1, L[0]).sum(axis=1)
kernel void reduction_tree(global const float *a, global float *out, local float *t) {
    uint l = get_local_id(0);
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = get_local_size(0) / 2; s > 0; s /= 2) {
        if (l < s) t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = t[0];
}
