// Automatic and argument local memory side by side, two of each, with different alignments.
//! launch: 16 / 8
//! arg a: small_ints(16)
//! arg t: 8 * 4
//! arg u: 8
//| g = a.reshape(-1, 8)
//| g[:] = g[:, ::-1] + np.roll(g, -1, axis=1) * 2 + g[:, arange(8) ^ 1] % 128 + g[:, arange(8) ^ 3] * 4
kernel void automatic_and_argument(global int *a, local int *t, local uchar *u) {
    local double d[8];
    local short s[8];
    int l = get_local_id(0), i = get_global_id(0);
    t[l] = a[i];
    u[l] = (uchar)(a[i] & 127);
    d[l] = a[i] * 2.0;
    s[l] = (short)(a[i] * 4);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = t[7 - l] + (int)d[(l + 1) & 7] + u[l ^ 1] + s[l ^ 3];
}
