// One of two local arrays is written through a pointer and read by name; the order matters where they are the same.
//! launch: 64 / 16
//! launch: 64 / 64
//! arg out: zeros(G[0], int32)
//! arg a: small_ints(G[0] + 2)
//! arg n: 1
//! arg other: 1024
//| x, y, z = a[:-2], a[:-2] * 7 + 1, (a[:-2] * 7 + 1) * 5 + 3 + a[2:]
//| out[:] = x + y * 3 + z * 5
kernel void order_through_either_pointer(global int *out, global const int *a, int n, local int *other) {
    int i = get_global_id(0), l = get_local_id(0);
    local int t[256];
    t[3 * l] = a[i];
    t[3 * l + 1] = a[i + 1];
    t[3 * l + 2] = a[i + 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *q = n > 0 ? t + 1 : other;
    int x = t[3 * l];
    q[3 * l] = x * 7 + 1;
    int y = t[3 * l + 1];
    q[3 * l] = y * 5 + 3;
    int z = t[3 * l + 1] + t[3 * l + 2];
    out[i] = x + y * 3 + z * 5;
}
