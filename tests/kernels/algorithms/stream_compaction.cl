// Elements that pass a test are packed, in order, by a scan of flags; the count is returned.
//! launch: 48 / 16
//! sizes: any
//! arg a: small_ints(G[0])
//! arg out: full(G[0], -1, int32)
//! arg counts: zeros(3, int32)
//| for n, g in enumerate(a.reshape(-1, L[0])):
//|     kept = g[g > 0]
//|     counts[n] = len(kept)
//|     out[n * L[0]:n * L[0] + len(kept)] = kept
kernel void stream_compaction(global const int *a, global int *out, global int *counts) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i];
    bool keep = v > 0;
    t[l] = keep;
    for (int d = 1; d < items; d <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int before = l >= d ? t[l - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] += before;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (keep) out[get_group_id(0) * items + t[l] - 1] = v;
    if (l == items - 1) counts[get_group_id(0)] = t[l];
}
