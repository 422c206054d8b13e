// Quotients and remainders of integers of all widths near the limits of their types, by divisors that differ between
// work-items and by one that all share, under conditions too.
//! launch: 64 / 32
//! launch: 44 / 11
//! sizes: any
//! arg a: array([0, 1, -1, 7, -7, 2**31 - 1, -2**31, 2**31 - 2, 1000003, -1000003, 65536, -65537], int32)[arange(G[0]) % 12]
//! arg b: array([1, -3, 2**31 - 1, -2**31, 3, 65537, 1000003], int32)[arange(G[0]) % 7]
//! arg all: int32(-7)
//! arg own: zeros(G[0] * 4, int32)
//! arg shared: zeros(G[0] * 4, int32)
//! arg small: zeros(G[0] * 4, int32)
//! arg some: zeros(G[0], int32)
//| def cut(x, y): return (abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1)
//| def word(x): return (x + 2**31) % 2**32 - 2**31
//| for i in range(G[0]):
//|     x, y, d = int(a[i]), int(b[i]), int(all)
//|     ux, uy, ud = x % 2**32, y % 2**32, d % 2**32
//|     own[4 * i:4 * i + 4] = [cut(x, y), x - cut(x, y) * y, word(ux // uy), word(ux % uy)]
//|     shared[4 * i:4 * i + 4] = [cut(x, d), x - cut(x, d) * d, word(ux // (ud - 5)), word(ux % (ud - 5))]
//|     us, ub = ux % 65536, max(uy % 65536, 1)
//|     sc, sb = (x % 256 + 128) % 256 - 128, i % 5 - 7
//|     small[4 * i:4 * i + 4] = [us // ub, us % ub, cut(sc, sb), sc - cut(sc, sb) * sb]
//|     some[i] = cut(x, i % 5) if i % 5 else x
kernel void divisions(global const int *a, global const int *b, int all, global int *own, global int *shared,
                      global int *small, global int *some) {
    int i = get_global_id(0), x = a[i], y = b[i];
    uint ux = x, uy = y, ud = all - 5;
    own[4 * i] = x / y;
    own[4 * i + 1] = x % y;
    own[4 * i + 2] = ux / uy;
    own[4 * i + 3] = ux % uy;
    shared[4 * i] = x / all;
    shared[4 * i + 1] = x % all;
    shared[4 * i + 2] = ux / ud;
    shared[4 * i + 3] = ux % ud;
    ushort us = x, ub = max((int)(ushort)y, 1);
    char sc = x, sb = i % 5 - 7;
    small[4 * i] = us / ub;
    small[4 * i + 1] = us % ub;
    small[4 * i + 2] = sc / sb;
    small[4 * i + 3] = sc % sb;
    if (i % 5)
        some[i] = x / (i % 5);
    else
        some[i] = x;
}
