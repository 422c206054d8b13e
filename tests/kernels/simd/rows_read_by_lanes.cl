// Each lane reads a row of a tile, an element with each row of work-items: rows are loaded and transposed.
//! launch: (32, 48) / (16, 16)
//! launch: (16, 8) / (8, 8)
//! launch: (8, 8) / (4, 4)
//! launch: (32, 16) / (32, 8)
//! launch: (16, 64) / (8, 32)
//! launch: (32, 6) / (16, 3)
//! launch: (12, 10) / (12, 5)
//! arg a: eighths((G[1], G[0]))
//! arg out: zeros((G[0], G[1]), float32)
//! arg tile: (L[0] * 33 + L[1]) * 4
//| out[:] = a.T
kernel void rows_read_by_lanes(global const float *a, global float *out, local float *tile) {
    int x = get_local_id(0), y = get_local_id(1);
    tile[x * 33 + y] = a[get_global_id(1) * get_global_size(0) + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0) * get_global_size(1) + get_global_id(1)] = tile[x * 33 + y];
}
