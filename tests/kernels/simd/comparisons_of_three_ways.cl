// Signs of differences, which LLVM makes calls of scmp and ucmp, and tests of classes of numbers (is.fpclass).
//! launch: 128 / 64
//! launch: 30 / 15
//! arg a: small_ints((G[0],))
//! arg b: small_ints((G[0],))
//! arg x: where(arange(G[0]) % 7 == 0, inf, small_ints((G[0],)) % 4).astype(float32)
//! arg out: zeros((G[0], 3), int32)
//| for i in range(G[0]):
//|     for k in range(4):
//|         p, q = int(a[i]) + k, int(b[i]) * k
//|         out[i, 0] += (p > q) - (p < q)
//|         p, q = p & 0xffffffff, q & 0xffffffff
//|         out[i, 1] += (p > q) - (p < q)
//|         out[i, 2] += int(x[i] == 0 or not abs(x[i]) < inf)
kernel void comparisons_of_three_ways(global const int *a, global const int *b, global const float *x,
                                      global int *out) {
    int i = get_global_id(0), signed_order = 0, unsigned_order = 0, special = 0;
    for (int k = 0; k < 4; k++) {
        int p = a[i] + k, q = b[i] * k;
        signed_order += (p > q) - (p < q);
        unsigned_order += ((uint)p > (uint)q) - ((uint)p < (uint)q);
        special += x[i] == 0 || !(fabs(x[i]) < INFINITY);
    }
    out[3 * i] = signed_order;
    out[3 * i + 1] = unsigned_order;
    out[3 * i + 2] = special;
}
