// Escape times: a loop that every work-item leaves on its own.
//! launch: (16, 12) / (8, 4)
//! sizes: (1, 1), (3, 1), (8, 1), (7, 5), (64, 1)
//! arg out: zeros((G[1], G[0]), int32)
//! arg limit: 40
//| for y in range(G[1]):
//|     for x in range(G[0]):
//|         cx, cy = x / 8 - 1.5, y / 8 - 0.75
//|         zx = zy = float32(0); n = 0
//|         while n < limit and zx * zx + zy * zy <= 4:
//|             zx, zy = float32(float32(zx * zx - zy * zy) + cx), float32(float32(2 * zx * zy) + cy); n += 1
//|         out[y, x] = n
kernel void mandelbrot(global int *out, int limit) {
#pragma OPENCL FP_CONTRACT OFF
    int x = get_global_id(0), y = get_global_id(1), n = 0;
    float cx = x / 8.0f - 1.5f, cy = y / 8.0f - 0.75f, zx = 0.0f, zy = 0.0f;
    while (n < limit && zx * zx + zy * zy <= 4.0f) {
        float next = zx * zx - zy * zy + cx;
        zy = 2.0f * zx * zy + cy;
        zx = next;
        n++;
    }
    out[y * get_global_size(0) + x] = n;
}
