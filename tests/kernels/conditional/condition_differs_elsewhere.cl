// A condition decides over a barrier only in groups where all work-items agree; in others they differ.
//! launch: 24 / 8
//! sizes: any
//! arg a: concatenate([resize([1, -1], L[0]), full(L[0], 3), full(L[0], -2)]).astype(int32)
//! arg agree: array([0, 1, 1], int32)
//! arg out: zeros(G[0], int32)
//| for g, o, u in zip(a.reshape(-1, L[0]), out.reshape(-1, L[0]), agree):
//|     c = g > 0
//|     o[:] = (g[::-1] if u and c[0] else 50) + c
kernel void condition_differs_elsewhere(global const int *a, constant int *agree, global int *out) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), r = 50;
    bool positive = a[i] > 0;
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (agree[get_group_id(0)]) {
        if (positive) {
            barrier(CLK_LOCAL_MEM_FENCE);
            r = t[items - 1 - l];
        }
    }
    out[i] = r + positive;
}
