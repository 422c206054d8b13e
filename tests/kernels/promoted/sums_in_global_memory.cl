// Sums that a work-item keeps in global memory, in one loop and in two, with a first value and without, in loops
// that have no iteration for some work-items and end early for others.
//! launch: 40 / 8
//! sizes: any
//! arg s: small_ints(9 * G[0]).reshape(9, G[0])
//! arg a: small_ints((12, G[0]))
//! arg n: 12
//| items, step = G[0], a[:n]
//| count = np.arange(items) % (n + 1)
//| running = np.arange(n)[:, None] < count
//| s[0] += step.sum(0)
//| s[1] = step.sum(0) * 3 // 2
//| s[2] += (step * running).sum(0)
//| s[3] = 5 + 2 * step.sum(0)
//| s[4] += step[0] * (n > 0)
//| for i in range(items):
//|     for k in range(n):
//|         s[5, i] += step[k, i]
//|         if step[k, i] < -30:
//|             break
//|     for k in range(n):
//|         if step[k, i] > 30:
//|             break
//|         s[6, i] += step[k, i]
//|     s[7, i] = max(s[7, i], *step[:, i])
//|     s[8, i] += sum(x for x in step[:, i] if x % 2)
kernel void k(global int *s, global const int *a, int n)
{
    int i = get_global_id(0), m = get_global_size(0);
    for (int k = 0; k < n; k++)
        s[i] += a[k * m + i];
    s[m + i] = 0;
    for (int k = 0; k < n; k++)
        s[m + i] += a[k * m + i];
    s[m + i] = s[m + i] * 3 >> 1;
    for (int k = 0; k < i % (n + 1); k++)
        s[2 * m + i] += a[k * m + i];
    s[3 * m + i] = 5;
    for (int j = 0; j < 2; j++)
        for (int k = 0; k < n; k++)
            s[3 * m + i] += a[k * m + i];
    for (int k = 0; k < min(n, 1); k++)
        s[4 * m + i] += a[k * m + i];
    for (int k = 0; k < n; k++) {
        s[5 * m + i] += a[k * m + i];
        if (a[k * m + i] < -30)
            break;
    }
    for (int k = 0; k < n; k++) {
        if (a[k * m + i] > 30)
            break;
        s[6 * m + i] += a[k * m + i];
    }
    for (int k = 0; k < n; k++)
        if (a[k * m + i] > s[7 * m + i])
            s[7 * m + i] = a[k * m + i];
    for (int k = 0; k < n; k++)
        if (a[k * m + i] & 1)
            s[8 * m + i] += a[k * m + i];
}
