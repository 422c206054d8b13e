// Three local arguments; one is of a size that is no multiple of its neighbours' alignment.
//! launch: 12 / 6
//! sizes: any
//! arg b: L[0]
//! arg v: L[0] * 16
//! arg n: L[0] * 8
//! arg a: small_ints(G[0], int32, 0, 100)
//! arg out: zeros((G[0], 4), int32)
//| o = a.reshape(-1, L[0])[:, ::-1].reshape(-1)
//| out[:] = stack([o, o * 2, o * 3, o * 4], axis=1) + stack([o, o, o, o], axis=1) * 2
kernel void several_arguments(local uchar *b, local int4 *v, local long *n, global const int *a, global int4 *out) {
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    b[l] = (uchar)a[i];
    v[l] = (int4)(1, 2, 3, 4) * a[i];
    n[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = v[items - 1 - l] + b[items - 1 - l] + (int)n[items - 1 - l];
}
