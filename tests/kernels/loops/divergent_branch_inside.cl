// A uniform barrier loop with a divergent branch and a divergent loop in its body.
//! launch: 16 / 8
//! arg a: small_ints(16, int32, 0, 30)
//! arg n: 4
//| g = a.reshape(-1, 8)
//| for k in range(n):
//|     o = g[:, ::-1]
//|     g[:] = where(o % 2 == 1, g + o, where(o > 12, g - 1, g)) + (g + k) % 4
kernel void divergent_branch_inside(global int *a, int n) {
    local int t[8];
    int l = get_local_id(0), i = get_global_id(0), v = a[i];
    for (int k = 0; k < n; k++) {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        int other = t[7 - l], steps = (v + k) % 4;
        if (other & 1)
            v += other;
        else if (other > 12)
            v -= 1;
        for (int s = 0; s < steps; s++) v++;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = v;
}
