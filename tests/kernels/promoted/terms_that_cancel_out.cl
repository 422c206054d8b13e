// The same byte by addresses in which a counter, or a number that the loop loads, is added and subtracted.
//! launch: 32 / 16
//! launch: 37 / 37
//! arg c: small_ints((G[0], 64), int8)
//! arg a: small_ints((G[0], 12), int64, 0, 5)
//! arg n: 12
//| for i in range(G[0]):
//|     for k in range(3, 12):
//|         c[i, 0] = (int(c[i, 0]) + k + 128) % 256 - 128
//|     for k in range(12):
//|         c[i, 1] = (int(c[i, 1]) + int(a[i, k]) + 129) % 256 - 128
kernel void terms_that_cancel_out(global char *restrict c, global const long *restrict a, int n) {
    int i = get_global_id(0);
    global char *p = c + 64 * i;
    for (long k = 3; k < n; k++) {
        global char *q = p + 3 * k;
        char v = q[-3 * k];
        p[0] = v + k;
    }
    for (int k = 0; k < n; k++) {
        long x = a[i * 12 + k];
        global char *q = p + 3 * x + 1;
        char v = q[-3 * x];
        p[1] = v + x + 1;
    }
}
