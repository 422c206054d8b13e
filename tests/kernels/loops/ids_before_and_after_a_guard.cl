// The row is queried before the guard and again after it.
//! launch: (64, 16) / (16, 4)
//! launch: (40, 8) / (8, 4) + (2, 1)
//! arg c: zeros((17, 64), dtype=int32)
//! arg a: small_ints((17, 5))
//! arg b: small_ints((64, 5))
//! arg n: 5
//! arg width: 60
//! arg height: 13
//| y, x = (slice(o, min(o + g, end)) for o, g, end in zip((*O, 0, 0)[1::-1], G[::-1], (height, width)))
//| c[y, x] = a[y] @ b[x].T
kernel void ids_again_behind_a_guard(global int *c, global const int *a, global const int *b, int n, int width, int height)
{
    if (get_global_id(1) < height && get_global_id(0) < width) {
        int sum = 0;
        for (int k = 0; k < n; k++)
            sum += a[get_global_id(1) * n + k] * b[get_global_id(0) * n + k];
        c[get_global_id(1) * 64 + get_global_id(0)] = sum;
    }
}
