// An automatic local array of two dimensions, with padding against bank conflicts.
//! launch: (16, 8) / (8, 4)
//! arg a: small_ints((8, 16))
//! arg out: zeros((8, 16), int32)
//| b = a.reshape(2, 4, 2, 8)
//| out.reshape(2, 4, 2, 8)[:] = b[:, ::-1, :, ::-1]
kernel void two_dimensional_array(global const int *a, global int *out) {
    local int t[4][9];
    int x = get_local_id(0), y = get_local_id(1), w = get_global_size(0);
    int i = get_global_id(1) * w + get_global_id(0);
    t[y][x] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[3 - y][7 - x];
}
