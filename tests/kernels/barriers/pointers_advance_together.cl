// Pointers that a loop with barriers advances: all by the same number, by a number that changes with the
// iteration, by one that differs between work-items, only in some iterations, and one that is used after the loop.
//! launch: 32 / 8
//! launch: (8, 4) / (4, 2)
//! arg a: small_ints(6 * G[0] + 64)
//! arg out: zeros((5, 32), int32)
//! arg t: 4 * int(prod(L))
//! arg n: 5
//| sizes = (*L, 1)[:2]
//| counts = (*N, 1)[:2]
//| for gy in range(counts[1]):
//|     for gx in range(counts[0]):
//|         for ly in range(sizes[1]):
//|             for lx in range(sizes[0]):
//|                 l = ly * sizes[0] + lx
//|                 where = (gy * counts[0] + gx) * sizes[0] * sizes[1] + l
//|                 p = q = r = s = l
//|                 for k in range(n):
//|                     out[0, where] += a[p]
//|                     out[1, where] += a[q] * (k + 1)
//|                     out[2, where] += a[r]
//|                     out[3, where] += a[s]
//|                     p += n
//|                     q += k
//|                     r += l % 3
//|                     s += 2 if k % 2 else 0
//|                 out[4, where] = a[p] - a[s]
kernel void k(global const int *a, global int *out, local int *t, int n)
{
    int w = get_local_size(0) * get_local_size(1), l = get_local_id(1) * get_local_size(0) + get_local_id(0);
    int where = (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * w + l;
    global const int *p = a + l, *q = a + l, *r = a + l, *s = a + l;
    int x = 0, y = 0, z = 0, v = 0;
    for (int k = 0; k < n; k++) {
        t[l] = *p;
        y += *q * (k + 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        x += t[l];
        z += *r;
        v += *s;
        p += n;
        q += k;
        r += l % 3;
        if (k & 1)
            s += 2;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[where] = x;
    out[32 + where] = y;
    out[64 + where] = z;
    out[96 + where] = v;
    out[128 + where] = *p - *s;
}
