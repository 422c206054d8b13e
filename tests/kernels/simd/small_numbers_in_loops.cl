// Loops that compute with chars and shorts, of which OpenCL C makes ints: shifts of either kind, upper halves of
// products, comparisons, choices, sums that wrap, and what comes out of the loop.
//! launch: 64 / 16
//! launch: 37 / 37
//! arg a: small_ints(G[0], int16, -30000, 30000)
//! arg b: small_ints(G[0], uint16, 0, 60000)
//! arg c: small_ints(G[0], int8)
//! arg d: small_ints(G[0], uint8, 0, 250)
//! arg out: zeros((8, G[0]), int32)
//! arg n: 9
//| def s16(v): return (int(v) + 2**15) % 2**16 - 2**15
//| def s8(v): return (int(v) + 128) % 256 - 128
//| for i in range(G[0]):
//|     x, y, p, q, t, u, m, z = int(a[i]), int(b[i]), int(c[i]), int(d[i]), 0, 0, 0, 0
//|     for k in range(n):
//|         x = s16(x * y + k)
//|         y = ((y ^ x) - (x >> 3)) % 2**16
//|         p = s8(p * 3 + (p >> 2) - k)
//|         q = (q * 5 + (q >> 1) + p) % 256
//|         t = s16(t + ((x * p) >> 9))
//|         u = (u + (x if x > y else q)) % 2**16
//|         m = max(m, ((x + p) << 4) % 2**16)
//|         z = s16(z - (y >> (k & 7)))
//|     out[:, i] = x, y, p, q, t, u, m, z
kernel void small_numbers_in_loops(global const short *a, global const ushort *b, global const char *c,
                                   global const uchar *d, global int *out, int n) {
    int i = get_global_id(0), items = get_global_size(0);
    short x = a[i], t = 0, z = 0;
    ushort y = b[i], u = 0, m = 0;
    char p = c[i];
    uchar q = d[i];
    for (int k = 0; k < n; k++) {
        x = x * (int)y + k;
        y = (y ^ x) - (x >> 3);
        p = p * 3 + (p >> 2) - k;
        q = q * 5 + (q >> 1) + p;
        t += (x * p) >> 9;
        u += x > y ? x : q;
        m = max(m, (ushort)((x + p) << 4));
        z -= y >> (k & 7);
    }
    out[i] = x;
    out[items + i] = y;
    out[2 * items + i] = p;
    out[3 * items + i] = q;
    out[4 * items + i] = t;
    out[5 * items + i] = u;
    out[6 * items + i] = m;
    out[7 * items + i] = z;
}
