// A tile of local memory is written by columns, and each work-item reads two neighbours of its row: what a row of lanes
// stores is transposed in registers, and stored row by row.
//! launch: (32, 32) / (16, 16)
//! launch: (24, 16) / (8, 8)
//! launch: (10, 5) / (5, 5)
//! arg a: small_ints((G[1], G[0]), int32, -99, 99)
//! arg out: zeros((G[1], G[0]), int32)
//| n = L[0]
//| for top in range(0, G[1], n):
//|     for left in range(0, G[0], n):
//|         tile = a[top : top + n, left : left + n].T * 3
//|         out[top : top + n, left : left + n] = tile - roll(tile, -1, axis=1)
kernel void tile_written_by_columns(global const int *a, global int *out) {
    local int tile[16][16];
    int x = get_local_id(0), y = get_local_id(1), n = get_local_size(0);
    size_t place = get_global_id(1) * get_global_size(0) + get_global_id(0);
    tile[x][y] = a[place] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[place] = tile[y][x] - tile[y][(x + 1) % n];
}
