// Structures in an array, read and written field by field in a loop.
//! launch: 32 / 16
//! launch: 21 / 7
//! sizes: any
//! arg a: small_ints((G[0], 4))
//! arg out: zeros((G[0], 4), int32)
//| s = zeros((G[0], 4), int32)
//| for k in range(3):
//|     s[:, 0] += a[:, 3] * k; s[:, 1] -= a[:, 0]; s[:, 2] ^= a[:, 1] + k; s[:, 3] += s[:, 0] + a[:, 2]
//| out[:] = s
struct particle { int x, y, z, w; };
kernel void structures_side_by_side(global const struct particle *a, global struct particle *out) {
    int i = get_global_id(0);
    struct particle s = {0, 0, 0, 0};
    for (int k = 0; k < 3; k++) {
        s.x += a[i].w * k;
        s.y -= a[i].x;
        s.z ^= a[i].y + k;
        s.w += s.x + a[i].z;
    }
    out[i].x = s.x;
    out[i].y = s.y;
    out[i].z = s.z;
    out[i].w = s.w;
}
