// Cells inside a cube read their neighbours, those at its faces nothing: six conditions, four of which are the
// same for a row.
//! launch: (64, 6) / (64, 1)
//! launch: (70, 5) / (7, 5)
//! arg a: small_ints((4, G[1], G[0]), int32, -9, 9)
//! arg out: ones((4, G[1], G[0]), int32)
//! arg z: 2
//! arg n: 4
//| out[z] = 0
//| s = a.astype(int)
//| for y in range(1, G[1] - 1):
//|     for x in range(1, G[0] - 1):
//|         near = s[z - 1 : z + 2, y - 1 : y + 2, x - 1 : x + 2]
//|         out[z, y, x] = near.sum() - 27 * s[z, y, x]
kernel void edges_of_a_cube(global const int *a, global int *out, int z, int n) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    int at = (z * h + y) * w + x;
    if (z > 0 && z < n - 1 && y > 0 && y < h - 1 && x > 0 && x < w - 1) {
        int sum = -27 * a[at];
        for (int k = -1; k <= 1; k++)
            for (int j = -1; j <= 1; j++)
                sum += a[at + (k * h + j) * w - 1] + a[at + (k * h + j) * w] + a[at + (k * h + j) * w + 1];
        out[at] = sum;
    } else {
        out[at] = 0;
    }
}
