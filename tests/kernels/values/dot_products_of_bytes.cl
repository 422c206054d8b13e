// cl_khr_integer_dot_product: signed, unsigned and mixed bytes, in vectors and packed, with sums that saturate.
//! options: -cl-std=CL3.0
//! launch: 64 / 16
//! launch: 70 / 7
//! arg a: (arange(G[0] * 4) * 37 % 256).astype(uint8)
//! arg b: (arange(G[0] * 4) * 91 % 256).astype(uint8)
//! arg out: zeros(G[0] * 8, dtype=int32)
//| ua, ub = a.reshape(-1, 4).astype(int64), b.reshape(-1, 4).astype(int64)
//| sa, sb = a.view(int8).reshape(-1, 4).astype(int64), b.view(int8).reshape(-1, 4).astype(int64)
//| o = out.reshape(-1, 8)
//| top = 2**31 - 1 - arange(G[0]) * 1000
//| pairs = [(ua * ub).sum(1), (sa * sb).sum(1), (ua * sb).sum(1), (sa * ub).sum(1)]
//| for k in range(4):
//|     o[:, k] = pairs[k]
//| o[:, 4] = minimum(pairs[0] + 2**32 - 1 - arange(G[0]) * 1000, 2**32 - 1).astype(uint32).view(int32)
//| for k in (1, 2, 3):
//|     o[:, 4 + k] = clip(pairs[k] + top, -2**31, 2**31 - 1)
kernel void dot_products_of_bytes(global uchar4 *a, global uchar4 *b, global int8 *out) {
    int i = get_global_id(0), top = INT_MAX - i * 1000;
    uchar4 u = a[i], v = b[i];
    char4 s = as_char4(u), t = as_char4(v);
    uint x = as_uint(u), y = as_uint(v), high = UINT_MAX - i * 1000;
    int8 plain = (int8)(dot(u, v), dot(s, t), dot(u, t), dot(s, v), dot_acc_sat(u, v, high), dot_acc_sat(s, t, top),
                        dot_acc_sat(u, t, top), dot_acc_sat(s, v, top));
    int8 packed = (int8)(dot_4x8packed_uu_uint(x, y), dot_4x8packed_ss_int(x, y), dot_4x8packed_us_int(x, y),
                         dot_4x8packed_su_int(x, y), dot_acc_sat_4x8packed_uu_uint(x, y, high),
                         dot_acc_sat_4x8packed_ss_int(x, y, top), dot_acc_sat_4x8packed_us_int(x, y, top),
                         dot_acc_sat_4x8packed_su_int(x, y, top));
    out[i] = all(plain == packed) ? plain : (int8)(-1);
}
