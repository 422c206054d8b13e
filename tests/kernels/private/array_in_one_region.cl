// A private array that one region fills and uses alone; the other region has one of its own.
//! launch: 16 / 8
//! arg a: small_ints(16)
//! arg out: zeros(16, int32)
//| out[:] = np.sort(a.reshape(-1, 8), axis=1).reshape(-1)
kernel void array_in_one_region(global const int *a, global int *out) {
    local int t[8];
    int l = get_local_id(0);
    int mine[8];
    for (int k = 0; k < 8; k++) mine[k] = a[get_group_id(0) * 8 + (k + l) % 8];
    for (int x = 1; x < 8; x++)
        for (int y = x; y > 0 && mine[y - 1] > mine[y]; y--) {
            int swap = mine[y];
            mine[y] = mine[y - 1];
            mine[y - 1] = swap;
        }
    t[l] = mine[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    int copy[8];
    for (int k = 0; k < 8; k++) copy[(k + l) & 7] = t[k];
    out[get_global_id(0)] = copy[(l + l) & 7];
}
