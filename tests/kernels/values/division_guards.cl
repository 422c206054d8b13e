// What is divided by may be zero, or -1 where the least number is divided: only the quotient is open, and all that
// tells whether to take it holds, before and after the division, in integers of all widths and in vectors.
//! launch: 64 / 16
//! launch: 35 / 7
//! sizes: any
//! arg a: array([5, 7, -9, 100, -2**31, 3, -2**31, 2**31 - 1], int32)[arange(G[0]) % 8]
//! arg b: array([0, 0, 7, 0, -1, -3, 0], int32)[arange(G[0]) % 7]
//! arg n: int32(0)
//! arg out: zeros((G[0], 20), int32)
//| def cut(x, y): return (abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1)
//| def word(x): return (x + 2**31) % 2**32 - 2**31
//| for i in range(G[0]):
//|     x, y = int(a[i]), int(b[i])
//|     ux, uy = x % 2**32, y % 2**32
//|     sx, sy = (x + 128) % 256 - 128, (y + 128) % 256 - 128
//|     odd = y == 0 or (x == -2**31 and y == -1)
//|     q, r = (1, 1) if odd else (cut(x, y), x - cut(x, y) * y)
//|     out[i, :8] = [q, r, 1 if y == 0 else word(ux // uy), 1 if y == 0 else word(ux % uy), q, 1 if odd else q ^ r, q, 7 if y else 4]
//|     narrow = 1 if sy == 0 else cut(sx, sy)
//|     out[i, 8:12] = [1 if y == 0 else word(cut(x, y)), narrow, 1 if sy == 0 else ux % 65536 // (uy % 65536), q]
//|     out[i, 12:16] = [q, 3, 1 if y == 0 else word(uy // uy), 1]
//|     out[i, 16:] = [8 + (i % 3), 1 if y == 0 else 2, 5, 1 if odd else q ^ 3]
int guarded(int x, int y) {
    int q = x / y;
    if (!y) return 1;
    if (y == -1 && x == INT_MIN) return 1;
    return q;
}
kernel void division_guards(global const int *a, global const int *b, int n, global int *out) {
    int i = get_global_id(0), x = a[i], y = b[i];
    uint ux = x, uy = y;
    global int *to = out + i * 20;
    int q = x / y, r = x % y;
    bool odd = y == 0 || (x == INT_MIN && y == -1);
    to[0] = odd ? 1 : q;
    to[1] = odd ? 1 : r;
    uint uq = ux / uy, ur = ux % uy;
    to[2] = y == 0 || x == 0x12345678 ? 1 : uq;
    if (y == 0) to[3] = 1;
    else to[3] = ur;
    switch (y) {
    case 0: to[4] = 1; break;
    case 7: to[4] = q; break;
    case -1: to[4] = x == INT_MIN ? 1 : q; break;
    default: to[4] = q;
    }
    to[5] = odd ? 1 : q ^ r;
    if (x != 55) {
        if (odd) to[6] = 1;
        else to[6] = q;
    }
    int s = 1;
    for (int j = 0; j < 3; j++) {
        if (y != 0) break;
        s += 1;
        if (s > 100 + (r & 1)) break;
    }
    to[7] = y == 0 ? s : 7;
    long l = (long)x / (long)y;
    to[8] = y == 0 ? 1 : (int)l;
    char cx = x, cy = y, cq = cx / cy;
    to[9] = cy == 0 ? 1 : cx == -128 && cy == -1 ? -128 * -1 : cq;
    ushort sx = x, sy = y, sq = sx / sy;
    to[10] = sy == 0 ? 1 : sq;
    int4 v = (int4)(x, 3, x, x) / (int4)(y, n, 1, y);
    to[11] = y == 0 || (x == INT_MIN && y == -1) ? 1 : v.s3;
    to[12] = guarded(x, y);
    int over = x / n, rest = x % n;
    to[13] = n == 0 ? 3 : over + rest;
    uint one = uy / uy;
    to[14] = uy ? one : 1;
    to[15] = n ? over : 1;
    // Quotients that decide, but not what comes out.
    int way = over > 3 ? 8 : rest < 0 ? 9 : q == 17 ? 5 : 8;
    to[16] = (way >= 0 ? 8 : 7) + i % 3;
    ulong ulq = (ulong)ux % (ulong)uy;
    to[17] = uy == 0 ? 1 : ulq < uy ? 2 : 3;
    to[18] = out[i * 20 + 18 + (n == 0 ? 0 : over)] + 5;
    to[19] = odd ? 1 : q ^ 3;
}
