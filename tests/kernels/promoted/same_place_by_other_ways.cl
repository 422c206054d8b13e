// What else in the loop may touch the place: another index of the same buffer, a pointer that is chosen, parts
// of it in another type, a copy of a structure, the next member, an index that wraps around.
//! launch: 16 / 8
//! arg s: small_ints((8, G[0] + 8), low=0)
//! arg a: small_ints((6, G[0]), low=0)
//! arg p: small_ints((G[0], 4))
//! arg n: 6
//| m = G[0]
//| w = m + 8
//| for i in range(m):
//|     for k in range(n):
//|         s[0, i] += s[0, i] if k == i % n else a[k, i]
//|         s[1, i] += a[k, i]
//|         if k & 1:
//|             s[1, i] *= 2
//|         s[2, i] = (s[2, i] & ~0xffff) | ((s[2, i] + a[k, i]) & 0xff) | (a[k, i] << 8)
//|         s[2, i] += 1
//|         p[i, 0] += a[k, i]
//|         p[i, 1] += p[i, 0]
//|         p[i, 2] = p[i, 3] + k
//|         p[i, 3] = p[i, 2] * 2
//|         s[3, i] += a[k, i] + s[3, i]
typedef struct { int x, y, z, w; } four;
kernel void k(global int *s, global const int *a, global four *p, int n)
{
    int i = get_global_id(0), m = get_global_size(0), w = m + 8;
    for (int k = 0; k < n; k++) {
        int x = k == i % n ? i : -1;
        s[i] += x < 0 ? a[k * m + i] : s[x];
    }
    for (int k = 0; k < n; k++) {
        global int *q = k & 1 ? s + w + i : s + 7 * w;
        s[w + i] += a[k * m + i];
        if (k & 1)
            *q *= 2;
    }
    for (int k = 0; k < n; k++) {
        global uchar *bytes = (global uchar *)(s + 2 * w + i);
        bytes[0] += a[k * m + i];
        bytes[1] = a[k * m + i];
        s[2 * w + i]++;
    }
    for (int k = 0; k < n; k++) {
        p[i].x += a[k * m + i];
        p[i].y += p[i].x;
        four whole = p[i];
        whole.z = whole.w + k;
        whole.w = whole.z * 2;
        p[i] = whole;
    }
    for (uint k = 0; k < n; k++) {
        s[3 * w + i] += a[k * m + i] + s[3 * w + (uint)(i + (k << 31) * 2)];
    }
}
