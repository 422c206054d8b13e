// A condition decides over a barrier only in groups where all work-items agree; in others they differ.
//! launch: 24 / 8
//! arg a: array([1, -1] * 4 + [3] * 8 + [-2] * 8, int32)
//! arg agree: array([0, 1, 1], int32)
//! arg out: zeros(24, int32)
//| for g, o, u in zip(a.reshape(-1, 8), out.reshape(-1, 8), agree):
//|     c = g > 0
//|     o[:] = (g[::-1] if u and c[0] else 50) + c
kernel void condition_differs_elsewhere(global const int *a, constant int *agree, global int *out) {
    local int t[8];
    int l = get_local_id(0), i = get_global_id(0), r = 50;
    bool positive = a[i] > 0;
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (agree[get_group_id(0)]) {
        if (positive) {
            barrier(CLK_LOCAL_MEM_FENCE);
            r = t[7 - l];
        }
    }
    out[i] = r + positive;
}
