// Each work-item loads and stores vectors wherever an index says, some work-items only.
//! launch: 64 / 16
//! launch: 30 / 10
//! sizes: 1, 3, 8, 64, (4, 4, 4), 1024
//! arg index: ((arange(G[0]) * 7 + 3) % G[0]).astype(int32)
//! arg a: small_ints((G[0], 4))
//! arg out: zeros((G[0], 4), int32)
//! arg pairs: zeros((G[0], 2), int32)
//| out[index] = where(arange(G[0])[:, None] % 3 == 1, 0, a[index][:, ::-1] * 3)
//| pairs[:] = where(index[:, None] % 2 == 1, a[index][:, 1:3], a[:, :2] + 1)
kernel void vectors_scattered(global const int *index, global const int4 *a, global int4 *out, global int2 *pairs) {
    int i = get_global_id(0), at = index[i];
    int2 p = a[i].xy + 1;
    for (int k = 0; k < at % 2; k++)
        p = a[at].yz;
    if (i % 3 != 1)
        out[at] = a[at].wzyx * 3;
    pairs[i] = p;
}
