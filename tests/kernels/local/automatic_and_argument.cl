// Automatic and argument local memory in one kernel, two of each, with different alignments.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg t: L[0] * 4
//! arg u: L[0]
//| g = a.reshape(-1, L[0])
//| g[:] = g[:, ::-1] + np.roll(g, -1, axis=1) * 2 + g[:, (arange(L[0]) ^ 1) % L[0]] % 128 + g[:, (arange(L[0]) ^ 3) % L[0]] * 4
kernel void automatic_and_argument(global int *a, local int *t, local uchar *u) {
    local double d[1024];
    local short s[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    t[l] = a[i];
    u[l] = (uchar)(a[i] & 127);
    d[l] = a[i] * 2.0;
    s[l] = (short)(a[i] * 4);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = t[items - 1 - l] + (int)d[(l + 1) % items] + u[(l ^ 1) % items] + s[(l ^ 3) % items];
}
