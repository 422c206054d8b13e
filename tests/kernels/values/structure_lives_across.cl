// A structure with an array in it lives across barriers and is indexed with a variable.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg out: zeros(G[0], int32)
//! arg which: 2
//| out[:] = a * 3 + arange(G[0]).astype(int8) + a.reshape(-1, L[0])[:, ::-1].reshape(-1)
typedef struct {
    char tag;
    int parts[4];
    float f;
} Record;
kernel void structure_lives_across(global const int *a, global int *out, int which) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    Record r;
    r.tag = (char)i;
    r.f = a[i];
    for (int k = 0; k < 4; k++) r.parts[k] = a[i] * (k + 1);
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = r.parts[which] + r.tag + t[items - 1 - l] + (int)(r.f - a[i]);
}
