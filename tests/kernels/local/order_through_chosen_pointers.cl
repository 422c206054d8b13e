// A pointer read from memory, or chosen, leads to the elements that are also used by name; their order matters.
//! launch: 64 / 16
//! launch: 64 / 64
//! arg out: zeros(G[0], int32)
//! arg a: small_ints(G[0] + 2)
//! arg n: 1
//| x, y, z = a[:-2], a[:-2] * 7 + 1, (a[:-2] * 7 + 1) * 5 + 3 + a[2:]
//| out[:] = x + y * 3 + z * 5
kernel void order_through_chosen_pointers(global int *out, global const int *a, int n) {
    int i = get_global_id(0), l = get_local_id(0);
    local int t[256], other[64];
    local int *from[4] = {t, t + 1, t + 2, other};
    t[3 * l] = a[i];
    t[3 * l + 1] = a[i + 1];
    t[3 * l + 2] = a[i + 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *q = from[n & 3];
    int x = t[3 * l];
    q[3 * l] = x * 7 + 1;
    int y = t[3 * l + 1];
    q[3 * l] = y * 5 + 3;
    int z = t[3 * l + 1] + t[3 * l + 2];
    out[i] = x + y * 3 + z * 5;
}
