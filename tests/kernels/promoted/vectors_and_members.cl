// Components of vectors and members of structures as sums; a value that is stored is loaded and stored again.
//! launch: 24 / 8
//! arg v: eighths((G[0], 4))
//! arg p: eighths((G[0], 5))
//! arg a: eighths((7, G[0]))
//! arg n: 7
//| for k in range(n):
//|     v[:, 0] += a[k]
//|     v[:, 3] -= a[k]
//|     p[:, 1] += a[k] * 2
//|     p[:, 4] += p[:, 2]
//|     p[:, 0], p[:, 3] = p[:, 3].copy(), p[:, 0].copy()
typedef struct { float q, x, y, z, w; } five;
kernel void k(global float4 *v, global five *p, global const float *a, int n)
{
    int i = get_global_id(0), m = get_global_size(0);
    for (int k = 0; k < n; k++) {
        v[i].x += a[k * m + i];
        v[i].w -= a[k * m + i];
    }
    for (int k = 0; k < n; k++) {
        p[i].x += a[k * m + i] * 2;
        p[i].w += p[i].y;
        float q = p[i].q;
        p[i].q = p[i].z;
        p[i].z = q;
    }
}
