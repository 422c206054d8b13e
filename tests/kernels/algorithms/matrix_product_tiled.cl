// A matrix product with both operands in tiles.
//! launch: (16, 8) / (8, 8)
//! launch: (12, 20) / (4, 4)
//! arg n: 24
//! arg a: eighths((G[1], 24))
//! arg b: eighths((24, G[0]))
//! arg c: zeros((G[1], G[0]), float32)
//! arg ta: L[0] * L[1] * 4
//! arg tb: L[0] * L[1] * 4
//| c[:] = a @ b
kernel void matrix_product_tiled(int n, global const float *a, global const float *b, global float *c,
                                 local float *ta, local float *tb) {
    int x = get_local_id(0), y = get_local_id(1), size = get_local_size(0), w = get_global_size(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k += size) {
        ta[y * size + x] = a[get_global_id(1) * n + k + x];
        tb[y * size + x] = b[(k + y) * w + get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < size; j++) sum += ta[y * size + j] * tb[j * size + x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[get_global_id(1) * w + get_global_id(0)] = sum;
}
