// Results of vector comparisons live across a barrier, of which a bit for each element would do.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints((G[0], 4))
//! arg b: small_ints((G[0], 4))
//! arg out: zeros((G[0], 4), int32)
//| r = a.reshape(-1, L[0], 4)[:, ::-1].reshape(G[0], 4)
//| out[:] = where(a > b, r, r * 2) + (a[:, :1] == b[:, :1])
kernel void boolean_vectors_live_across(global const int4 *a, global const int4 *b, global int4 *out) {
    local int4 t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    int4 greater = a[i] > b[i];
    bool equal = a[i].x == b[i].x;
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int4 r = t[items - 1 - l];
    out[i] = select(r * 2, r, greater) + (int4)(equal);
}
