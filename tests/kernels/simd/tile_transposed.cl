// A tile of local memory is written by rows and read by columns: the columns of a row of lanes are loaded as rows and
// transposed in registers.
//! launch: (48, 32) / (16, 16)
//! launch: (16, 32) / (8, 8)
//! launch: (21, 14) / (7, 7)
//! arg a: eighths((G[1], G[0]))
//! arg out: zeros((G[0], G[1]), float32)
//| out[:] = a.T
kernel void tile_transposed(global const float *a, global float *out) {
    local float tile[16][17];
    int x = get_local_id(0), y = get_local_id(1), n = get_local_size(0);
    int left = get_group_id(0) * n, top = get_group_id(1) * n;
    tile[y][x] = a[(top + y) * get_global_size(0) + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(left + y) * get_global_size(1) + top + x] = tile[x][y];
}
