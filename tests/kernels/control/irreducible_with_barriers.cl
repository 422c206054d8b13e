// A loop with two entries and a barrier in each half; where it is entered depends on an argument.
//! launch: 16 / 8
//! launch: 8 / 8
//! arg a: small_ints(G[0])
//! arg second: 1 if G[0] == 16 else 0
//| g = a.reshape(-1, 8)
//| k, s = 0, second
//| while True:
//|     if not s: g[:] = np.roll(g, -1, axis=1)
//|     s = 0
//|     g[:] = g[:, ::-1] + 1
//|     k += 1
//|     if k >= 3: break
kernel void irreducible_with_barriers(global int *a, int second) {
    local int t[8];
    int l = get_local_id(0), i = get_global_id(0), k = 0, v = a[i];
    if (second) goto second_half;
first_half:
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    v = t[(l + 1) & 7];
second_half:
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    v = t[7 - l] + 1;
    if (++k < 3) goto first_half;
    a[i] = v;
}
