// A seven-point stencil with odd sizes and borders that stay as they are.
//! launch: (7, 5, 9) / (7, 5, 3)
//! launch: (9, 3, 5) / (3, 1, 5)
//! launch: (5, 7, 3) / (1, 1, 1)
//! sizes: (1, 1, 1), (3, 1, 1), (8, 1, 1), (64, 1, 1), (7, 5, 1), (4, 4, 4), (1024, 1, 1)
//! arg a: eighths(G[::-1])
//! arg out: zeros(G[::-1], float32)
//| out[:] = a
//| m = a[1:-1, 1:-1, 1:-1]
//| s = a[2:, 1:-1, 1:-1] + a[:-2, 1:-1, 1:-1] + a[1:-1, 2:, 1:-1] + a[1:-1, :-2, 1:-1] + a[1:-1, 1:-1, 2:] + a[1:-1, 1:-1, :-2]
//| out[1:-1, 1:-1, 1:-1] = s - 6 * m
kernel void stencil_3d(global const float *a, global float *out) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int w = get_global_size(0), h = get_global_size(1), d = get_global_size(2);
    int i = (z * h + y) * w + x;
    if (x == 0 || y == 0 || z == 0 || x == w - 1 || y == h - 1 || z == d - 1) {
        out[i] = a[i];
        return;
    }
    float s = a[i - 1] + a[i + 1] + a[i - w] + a[i + w] + a[i - w * h] + a[i + w * h];
    out[i] = s - 6.0f * a[i];
}
