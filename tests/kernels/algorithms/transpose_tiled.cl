// A matrix transposed through tiles in local memory.
//! launch: (24, 16) / (8, 8)
//! arg a: small_ints((16, 24))
//! arg out: zeros((24, 16), int32)
//| out[:] = a.T
kernel void transpose_tiled(global const int *a, global int *out) {
    local int t[8][9];
    int x = get_local_id(0), y = get_local_id(1);
    t[y][x] = a[get_global_id(1) * get_global_size(0) + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int row = get_group_id(0) * 8 + y, column = get_group_id(1) * 8 + x;
    out[row * get_global_size(1) + column] = t[x][y];
}
