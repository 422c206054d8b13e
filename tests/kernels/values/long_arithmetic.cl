// Quotients, products, shifts, comparisons and saturating sums of 64 bits, and conversions from and to floats.
//! options: -cl-std=CL3.0
//! launch: 12 / 4
//! sizes: any
//! arg a: rng.integers(-2**63, 2**63 - 1, G[0] * 2, int64) >> (arange(G[0] * 2) * 5 % 61)
//! arg f: array([0.0, -0.5, 2.5, -1.5, 8388609.0, 123456.7, 3.7, -3.7, 1e9, 5e18, 0.1, -7e17], float32)[arange(G[0]) % 12]
//! arg out: zeros((G[0], 20), int64)
//! arg fout: zeros((G[0], 6), float32)
//| def cut(x, y): return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
//| def long(x): return (x + 2**63) % 2**64 - 2**63
//| def sat(x): return max(min(x, 2**63 - 1), -2**63)
//| for i in range(G[0]):
//|     p, q, g = int(a[2 * i]), int(a[2 * i + 1]) | 1, f[i]
//|     up, uq, by = p % 2**64, q % 2**64, q % 64
//|     odd = q == -1 and p == -2**63
//|     out[i, :4] = [0 if odd else cut(p, q), 0 if odd else p - cut(p, q) * q, long(up // uq), long(up % uq)]
//|     out[i, 4:8] = [cut(p, 10), up % 1000000007, long(up * uq), long(up << by)]
//|     out[i, 8:12] = [p >> by, long(up >> by), sat(p + q), sat(p - q)]
//|     out[i, 12:16] = [long(min(up + uq, 2**64 - 1)), long(max(up - uq, 0)), 64 - up.bit_length(), bin(up).count("1")]
//|     out[i, 16:] = [min(p, q), long(max(up, uq)), int(g), long(up << by | up >> (64 - by))]
//|     fout[i] = [p, float32(np.uint64(up)), trunc(g), floor(g), ceil(g), rint(g)]
kernel void long_arithmetic(global const long *a, global const float *f, global long *out, global float *fout) {
    int i = get_global_id(0);
    long p = a[2 * i], q = a[2 * i + 1] | 1;
    ulong up = p, uq = q;
    float g = f[i];
    global long *to = out + i * 20;
    bool odd = q == -1 && p == LONG_MIN;
    to[0] = odd ? 0 : p / q;
    to[1] = odd ? 0 : p % q;
    to[2] = up / uq;
    to[3] = up % uq;
    to[4] = p / 10;
    to[5] = up % 1000000007ul;
    to[6] = up * uq;
    to[7] = up << (q & 63);
    to[8] = p >> (q & 63);
    to[9] = up >> (q & 63);
    to[10] = add_sat(p, q);
    to[11] = sub_sat(p, q);
    to[12] = add_sat(up, uq);
    to[13] = sub_sat(up, uq);
    to[14] = clz(p);
    to[15] = popcount(p);
    to[16] = min(p, q);
    to[17] = max(up, uq);
    to[18] = (long)g;
    to[19] = rotate(p, q);
    global float *z = fout + i * 6;
    z[0] = (float)p;
    z[1] = (float)up;
    z[2] = trunc(g);
    z[3] = floor(g);
    z[4] = ceil(g);
    z[5] = rint(g);
}
