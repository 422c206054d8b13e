// Loops that have no iteration, or store in none, must neither read nor write: the pointer is null then.
//! launch: 24 / 8
//! arg s: small_ints(G[0])
//! arg none: None
//! arg a: small_ints((5, G[0]))
//! arg n: 0
//! arg m: 5
kernel void k(global int *s, global int *none, global const int *a, int n, int m)
{
    int i = get_global_id(0), w = get_global_size(0);
    for (int k = 0; k < n; k++)
        none[i] += a[k * w + i];
    for (int k = 0; k < m; k++)
        if (a[k * w + i] > 100)
            none[i] += a[k * w + i];
    for (int k = n; k < m; k++) {
        if (a[k * w + i] < 100)
            break;
        none[i] += a[k * w + i];
    }
    for (int j = 0; j < m; j++)
        for (int k = 0; k < n; k++)
            none[i] += a[j * w + i];
}
