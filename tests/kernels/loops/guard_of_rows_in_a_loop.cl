// Rows that return in one iteration are gone in later ones, whatever the guard says there.
//! launch: (64, 16) / (16, 4)
//! launch: (40, 8) / (8, 4) + (2, 1)
//! arg c: zeros((17, 64, 5), dtype=int32)
//! arg a: small_ints((17, 5))
//! arg b: small_ints((64, 5))
//! arg end: array([16, 7, 16, 2, 16], dtype=int32)
//! arg n: 5
//| y, x = (slice(o, o + g) for o, g in zip((*O, 0, 0)[1::-1], G[::-1]))
//| inside = np.arange(17)[:, None] < np.minimum.accumulate(end)
//| c[y, x] = (inside * a)[y, None] * b[x]
kernel void guard_of_rows_in_a_loop(global int *c, global const int *a, global const int *b, global const int *end, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    for (int k = 0; k < n; k++) {
        if (y >= end[k])
            return;
        c[(y * 64 + x) * n + k] = a[y * n + k] * b[x * n + k];
    }
}
