// Components are chosen by a number that only the running work-item knows.
//! launch: 32 / 16
//! launch: 9 / 9
//! sizes: any
//! arg a: small_ints((G[0], 4))
//! arg out: zeros((G[0], 4), int32)
//| for i in range(G[0]):
//|     v = a[i].copy()
//|     for k in range(3):
//|         v[(i + k) % 4] = v[i % 4] + k
//|     out[i] = v
kernel void component_by_number(global const int4 *a, global int4 *out) {
    int i = get_global_id(0);
    int4 v = a[i];
    for (int k = 0; k < 3; k++)
        v[(i + k) % 4] = v[i % 4] + k;
    out[i] = v;
}
