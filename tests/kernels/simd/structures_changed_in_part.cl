// Some members of structures are changed, one of them by some work-items only: scatters would be slow.
//! launch: 64 / 32
//! launch: 130 / 65
//! launch: 32 / 8
//! arg p: small_ints((G[0], 8))
//! arg b: small_ints((G[0], 3))
//! arg step: 3
//| for i in range(G[0]):
//|     p[i, 0:3] += p[i, 4:7] * step
//|     if p[i, 0] > 10:
//|         p[i, 3] += 1
//|     b[i] = [i, step, p[i, 7]]
typedef struct {
    int x, y, z, count, v[4];
} part;
kernel void structures_changed_in_part(global part *p, global int *b, int step) {
    int i = get_global_id(0);
    p[i].x += p[i].v[0] * step;
    p[i].y += p[i].v[1] * step;
    p[i].z += p[i].v[2] * step;
    if (p[i].x > 10)
        p[i].count++;
    b[3 * i] = i;
    b[3 * i + 1] = step;
    b[3 * i + 2] = p[i].v[3];
}
