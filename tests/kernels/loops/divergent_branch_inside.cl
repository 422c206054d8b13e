// A uniform barrier loop with a divergent branch and a divergent loop in its body.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 30)
//! arg n: 4
//| g = a.reshape(-1, L[0])
//| for k in range(n):
//|     o = g[:, ::-1]
//|     g[:] = where(o % 2 == 1, g + o, where(o > 12, g - 1, g)) + (g + k) % 4
kernel void divergent_branch_inside(global int *a, int n) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i];
    for (int k = 0; k < n; k++) {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        int other = t[items - 1 - l], steps = (v + k) % 4;
        if (other & 1)
            v += other;
        else if (other > 12)
            v -= 1;
        for (int s = 0; s < steps; s++) v++;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = v;
}
