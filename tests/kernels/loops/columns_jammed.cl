// The result is stored by columns, so that lanes go along y and columns are jammed. Two sums, and an update in place.
//! launch: (16, 32) / (8, 8)
//! launch: (8, 64) / (4, 16) + (1, 3)
//! arg c: small_ints((G[0] + 1) * (G[1] + 3)).reshape(-1, G[1] + 3)
//! arg a: small_ints((G[0] + 1) * 9).reshape(-1, 9)
//! arg b: small_ints((G[1] + 3) * 9).reshape(9, -1)
//! arg n: 9
//! arg height: G[1] + 3
//| x, y = (slice(o, o + g) for o, g in zip((*O, 0, 0)[:2], G))
//| c[x, y] += a[x] @ b[:, y] + (a[x, :, None] ^ b[None, :, y]).sum(1)
kernel void columns_at_once(global int *c, global const int *a, global const int *b, int n, int height)
{
    int x = get_global_id(0), y = get_global_id(1), sum = 0, other = 0;
    for (int k = 0; k < n; k++) {
        int left = a[x * n + k], right = b[k * height + y];
        sum += left * right;
        other += left ^ right;
    }
    c[x * height + y] += sum + other;
}
