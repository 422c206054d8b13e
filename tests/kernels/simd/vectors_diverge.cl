// Work-items leave a loop over vectors at different times, and only some of them change theirs.
//! launch: 64 / 32
//! launch: (6, 10) / (3, 5)
//! sizes: 1, 3, 8, 64, (7, 5), 1024
//! arg a: small_ints((G[0] * (G[1] if len(G) > 1 else 1), 4))
//! arg out: zeros_like(a)
//| x = a.copy()
//| for i in range(len(a)):
//|     for k in range(int(abs(a[i, 0])) % 7):
//|         if x[i, 1] % 2 == 0: x[i] = x[i] + a[i, ::-1]
//|         else: x[i] = x[i] * array([1, 3, 1, 1], int32) - k
//|         if x[i, 2] > 40: break
//| out[:] = x
kernel void vectors_diverge(global const int4 *a, global int4 *out) {
    int i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    int4 v = a[i], x = v;
    int n = abs(v.x) % 7;
    for (int k = 0; k < n; k++) {
        if ((x.y & 1) == 0)
            x = x + v.wzyx;
        else
            x = x * (int4)(1, 3, 1, 1) - k;
        if (x.z > 40)
            break;
    }
    out[i] = x;
}
