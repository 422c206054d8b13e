// Rows outside return: every third one, and all of those with large ids.
//! launch: (64, 16) / (16, 4)
//! launch: (40, 8) / (8, 4) + (2, 5)
//! arg c: full((21, 66), -7, dtype=int32)
//! arg a: small_ints(21 * 9).reshape(21, 9)
//! arg b: small_ints(66 * 9).reshape(66, 9)
//! arg n: 9
//! arg width: 66
//| y, x = (np.arange(o, o + g) for o, g in zip((*O, 0, 0)[1::-1], G[::-1]))
//| y, x = y[(y % 3 != 0) & (y < 11)], x[x < 61]
//| c[np.ix_(y, x)] = a[y] @ b[x].T
kernel void rows_that_return_at_once(global int *c, global const int *a, global const int *b, int n, uint width)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= 61 || (y % 3 == 0) | (y >= 11))
        return;
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[x * n + k];
    c[y * width + x] = sum;
}
