// Neighbours of a pixel, those beyond the edge of the picture being the last ones inside: by clamp, min and max,
// with offsets that are constants, counted, or counted as far as an argument says.
//! launch: (80, 2) / (16, 1)
//! launch: (40, 3) / (40, 1)
//! launch: (67, 2) / (67, 1)
//! launch: (5, 2) / (5, 1)
//! arg s: small_ints(G[0] * G[1])
//! arg d: zeros(G[0] * G[1] * 6, int32)
//! arg w: G[0]
//! arg h: G[1]
//! arg r: 2
//| o, p = d.reshape(6, h, w), s.reshape(h, w)
//| at = lambda y, x: p[clip(y, 0, h - 1)][:, clip(x, 0, w - 1)]
//| x, y = arange(w), arange(h)
//| for dy in (-1, 0, 1):
//|     for dx in (-1, 0, 1):
//|         o[0] += (2 * dy + dx + 4) * at(y + dy, x + dx)
//| for dx in range(-7, 8):
//|     o[1] += (dx + 8) * at(y, x + dx)
//| for dx in range(-r, r + 1):
//|     o[2] += (dx + r + 1) * at(y, x + dx)
//| o[3] = at(y, x + 1) - at(y, x - 2)
//| o[4] = at(y, w - x) + 3 * at(y, w - 3 - x)
//| o[5] = p[:, minimum(x, 3)] + at(y, x + 1) * p[:, maximum(2 * x - w, 0)]
kernel void clamped_neighbours(global const int *s, global int *d, int w, int h, int r) {
    int x = get_global_id(0), y = get_global_id(1), at = y * w + x, size = w * h, sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += (2 * dy + dx + 4) * s[clamp(y + dy, 0, h - 1) * w + clamp(x + dx, 0, w - 1)];
    d[at] = sum;
    barrier(CLK_GLOBAL_MEM_FENCE);
    sum = 0;
    for (int dx = 7; dx >= -7; dx--)
        sum += (dx + 8) * s[y * w + min(max(x + dx, 0), w - 1)];
    d[at + size] = sum;
    barrier(CLK_GLOBAL_MEM_FENCE);
    sum = 0;
    for (int dx = -r; dx <= r; dx++)
        sum += (dx + r + 1) * s[y * w + clamp(x + dx, 0, w - 1)];
    d[at + 2 * size] = sum;
    barrier(CLK_GLOBAL_MEM_FENCE);
    d[at + 3 * size] = s[(size_t)y * w + min(get_global_id(0) + 1, (size_t)w - 1)] - s[y * w + max(x - 2, 0)];
    barrier(CLK_GLOBAL_MEM_FENCE);
    d[at + 4 * size] = s[y * w + min(w - x, w - 1)] + 3 * s[y * w + max(w - 3 - x, 0)];
    barrier(CLK_GLOBAL_MEM_FENCE);
    d[at + 5 * size] = s[y * w + min(x, 3)] + s[y * w + min(x + 1, w - 1)] * s[y * w + max(2 * x - w, 0)];
}
