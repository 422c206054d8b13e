// A structure with an array in it lives across barriers and is indexed with a variable.
//! launch: 16 / 8
//! arg a: small_ints(16)
//! arg out: zeros(16, int32)
//! arg which: 2
//| out[:] = a * 3 + arange(16) + a.reshape(-1, 8)[:, ::-1].reshape(-1)
typedef struct {
    char tag;
    int parts[4];
    float f;
} Record;
kernel void structure_lives_across(global const int *a, global int *out, int which) {
    local int t[8];
    int l = get_local_id(0), i = get_global_id(0);
    Record r;
    r.tag = (char)i;
    r.f = a[i];
    for (int k = 0; k < 4; k++) r.parts[k] = a[i] * (k + 1);
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = r.parts[which] + r.tag + t[7 - l] + (int)(r.f - a[i]);
}
