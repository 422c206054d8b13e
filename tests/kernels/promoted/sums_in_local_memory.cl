// Sums in local memory and in a private array: in loops without barriers, in one with, beside atomics.
//! launch: 32 / 8
//! arg s: small_ints((3, G[0]))
//! arg t: L[0] * 4
//! arg a: small_ints((6, G[0]))
//! arg n: 6
//| for g in range(0, G[0], L[0]):
//|     part = a[:n, g : g + L[0]]
//|     total = part.sum(0)
//|     s[0, g : g + L[0]] = total + np.roll(total, -1)
//|     s[1, g : g + L[0]] = part.sum() + n * (np.arange(L[0]) == 0)
//|     for l in range(L[0]):
//|         bins = np.zeros(4, int)
//|         for k in range(n):
//|             bins[l % 4] += part[k, l]
//|             if k % 2:
//|                 bins[k % 4] += 1
//|         s[2, g + l] = (bins * [1, 3, 5, 7]).sum()
kernel void k(global int *s, local int *t, global const int *a, int n)
{
    local int sum[1], rounds[1];
    int i = get_global_id(0), l = get_local_id(0), m = get_global_size(0);
    t[l] = 0;
    if (l == 0)
        sum[0] = rounds[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++)
        t[l] += a[k * m + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    s[i] = t[l] + t[(l + 1) % get_local_size(0)];
    for (int k = 0; k < n; k++) {
        atomic_add(sum, a[k * m + i]);
        if (l == 0)
            rounds[0]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    s[m + i] = sum[0] + (l == 0 ? rounds[0] : 0);
    for (int k = 0; k < n; k++) {
        if (l == k % (int)get_local_size(0))
            t[0] = k;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    int bins[4] = { 0, 0, 0, 0 };
    for (int k = 0; k < n; k++) {
        bins[l % 4] += a[k * m + i];
        if (k & 1)
            bins[k & 3]++;
    }
    s[2 * m + i] = bins[0] + 3 * bins[1] + 5 * bins[2] + 7 * bins[3];
}
