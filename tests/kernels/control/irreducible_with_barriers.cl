// A loop with two entries and a barrier in each half; where it is entered depends on an argument.
//! launch: 16 / 8
//! launch: 8 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg second: 0 if G[0] == 8 else 1
//| g = a.reshape(-1, L[0])
//| k, s = 0, second
//| while True:
//|     if not s: g[:] = np.roll(g, -1, axis=1)
//|     s = 0
//|     g[:] = g[:, ::-1] + 1
//|     k += 1
//|     if k >= 3: break
kernel void irreducible_with_barriers(global int *a, int second) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), k = 0, v = a[i];
    if (second) goto second_half;
first_half:
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    v = t[(l + 1) % items];
second_half:
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    v = t[items - 1 - l] + 1;
    if (++k < 3) goto first_half;
    a[i] = v;
}
