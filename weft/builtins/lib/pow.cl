// pow, powr, pown, rootn: 2^(y * log2(x)), with log2(x) in more bits than the result has.
// For float that is double; for double it is a sum of two doubles, from log2(x) = e + log2((1+s)/(1-s)).
//! uses: exponent
//! types: floats
//! pow(T, T) powr(T, T) pown(T, intN) rootn(T, intN)
//! types: float
//! native_powr(T, T) half_powr(T, T)

#if T_SIZE == 4

#define LOGARITHM VEC(double)
// log2|x|; -infinity for 0, infinity and NaN as they are.
FN LOGARITHM weft_log2_for_pow(T x) {
    VEC(double) wide = CONVERT(FABS(x), VEC(double));
    VEC(long) bits = AS_TYPE(wide, VEC(long));
    VEC(long) positive = bits - (VEC(long))(0x3fe6a09e667f3bcdL - (1L << 62));
    VEC(ulong) power = AS_TYPE(positive, VEC(ulong)) >> (VEC(ulong))(52);
    VEC(double) m = AS_TYPE(bits - AS_TYPE((power - (VEC(ulong))(1024)) << (VEC(ulong))(52), VEC(long)), VEC(double));
    VEC(double) e = AS_TYPE(power | AS_TYPE((VEC(double))(0x1p52), VEC(ulong)), VEC(double)) - (VEC(double))(0x1p52 + 1024);
    VEC(double) s = (m - (VEC(double))(1)) / (m + (VEC(double))(1));
    VEC(double) z = s * s;
    VEC(double) p = POLY4(z, 0x1.71547652bede7p+1, 0x1.ec709d12de32dp-1, 0x1.27777fdcf6e7bp-1, 0x1.a58d8e7542f1dp-2,
                          0x1.5ce7e710551ecp-2);
    VEC(double) result = MAD(s, p, e);
    result = wide == (VEC(double))(0) ? (VEC(double))(-INFINITE) : result;
    return wide < (VEC(double))(INFINITE) ? result : wide;
}

// 2^t
FN T weft_exp2_for_pow(VEC(double) t) {
    VEC(double) most = (VEC(double))(200);
    t = t < -most ? -most : t > most ? most : t;
    I n;
    T k = weft_nearest_product(CONVERT(t, T), (T)(1), &n);
    return weft_scale_by_power(weft_exp2_reduced(CONVERT(t - CONVERT(k, VEC(double)), T)), n);
}

FN T weft_power_magnitude(T x, T y) {
    return weft_exp2_for_pow(CONVERT(y, VEC(double)) * weft_log2_for_pow(x));
}
FN T weft_root_magnitude(T x, VEC(int) n) {
    return weft_exp2_for_pow(weft_log2_for_pow(x) / CONVERT(n, VEC(double)));
}
FN T weft_pown_magnitude(T x, VEC(int) n) {
    return weft_exp2_for_pow(CONVERT(n, VEC(double)) * weft_log2_for_pow(x));
}
#undef LOGARITHM

#else

// The rounding error of the product p = a * b.
FN T weft_product_error(T a, T b, T p) {
#ifdef FP_FAST_FMA
    return FMA(a, b, -p);
#else
    T ca = a * (T)(0x1.0000002p+27), cb = b * (T)(0x1.0000002p+27);
    T ah = ca - (ca - a), bh = cb - (cb - b);
    T al = a - ah, bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
#endif
}

// log2|x| as the sum of the result and *tail, for finite x other than 0.
FN T weft_log2_for_pow(T x, __private T *tail) {
    I e;
    T m = weft_split_exponent(FABS(x), &e);
    T f = m - (T)(1), g = m + (T)(1);
    T g_low = m - (g - (T)(1));
    T reciprocal = (T)(1) / g;
    T s = f * reciprocal;
    T sg = s * g;
    T s_low = (((f - sg) - weft_product_error(s, g, sg)) - s * g_low) * reciprocal;
    T z = s * s;
    T z_low = MAD(s + s, s_low, weft_product_error(s, s, z));
    // q = 2 log2(e) (1 + s^2/3) with both terms as sums, plus the rest of the series.
    T w = z * (T)(0x1.ec709dc3a03fdp-1);
    T w_low = weft_product_error(z, (T)(0x1.ec709dc3a03fdp-1), w);
    w_low = MAD(z, (T)(0x1.d27f05548af0cp-55), MAD(z_low, (T)(0x1.ec709dc3a03fdp-1), w_low));
    T rest = POLY6(z, 0x1.2776c50ef9d23p-1, 0x1.a61762a759c45p-2, 0x1.484b14216bbaap-2, 0x1.0c9a63e65a5e8p-2,
                   0x1.c69f8674b2ca0p-3, 0x1.87b1451952d49p-3, 0x1.85e459d97692dp-3);
    T q = (T)(0x1.71547652b82fep+1) + w;
    T q_low = (((T)(0x1.71547652b82fep+1) - q) + w) + (MAD(z * z, rest, w_low) + (T)(0x1.777d0ffda0d24p-55));
    T high = s * q;
    T low = weft_product_error(s, q, high) + MAD(s, q_low, s_low * q);
    T n = weft_small_integer(e);
    T sum = n + high;
    *tail = ((n - sum) + high) + low;
    return sum;
}

// 2^(t + tail)
FN T weft_exp2_for_pow(T t, T tail) {
    T most = (T)(1200);
    I within = FABS(t) < most;
    t = t < -most ? -most : t > most ? most : t;
    tail = within ? tail : (T)(0);
    I n;
    T k = weft_nearest_product(t, (T)(1), &n);
    return weft_scale_by_power(weft_exp2_reduced((t - k) + tail), n);
}

// The power of 0, infinity and NaN, where `result` would be that of other numbers.
FN T weft_power_or_special(T x, T y, T result) {
    T magnitude = FABS(x);
    T grows = (magnitude > (T)(1)) == (y > (T)(0)) ? (T)(INFINITE) : (T)(0);
    result = (magnitude == (T)(0)) | (magnitude == (T)(INFINITE)) ? grows : result;
    result = ((magnitude == (T)(0)) | (magnitude == (T)(INFINITE))) & (y == (T)(0)) ? (T)(NOT_A_NUMBER) : result;
    return (x != x) | (y != y) ? x + y : result;
}

FN T weft_power_magnitude(T x, T y) {
    // Beyond this every power but that of 1 is 0 or infinite, and products stay finite.
    T most = (T)(0x1p75);
    T exponent = y < -most ? -most : y > most ? most : y;
    T tail;
    T logarithm = weft_log2_for_pow(x, &tail);
    T t = exponent * logarithm;
    T t_low = MAD(exponent, tail, weft_product_error(exponent, logarithm, t));
    T result = weft_exp2_for_pow(t, t_low);
    // Infinite exponents of 1 are undefined here; pow defines them.
    result = (FABS(x) == (T)(1)) & (FABS(y) == (T)(INFINITE)) ? (T)(NOT_A_NUMBER) : result;
    return weft_power_or_special(x, y, result);
}
FN T weft_pown_magnitude(T x, VEC(int) n) { return weft_power_magnitude(x, CONVERT(n, T)); }
FN T weft_root_magnitude(T x, VEC(int) n) {
    T tail, divisor = CONVERT(n, T);
    T logarithm = weft_log2_for_pow(x, &tail);
    T t = logarithm / divisor;
    T product = t * divisor;
    T t_low = (((logarithm - product) - weft_product_error(t, divisor, product)) + tail) / divisor;
    return weft_power_or_special(x, divisor, weft_exp2_for_pow(t, t_low));
}

#endif

#define SIGN_BIT ((U)((U1)1 << (T_SIZE * 8 - 1)))

FN T weft_pow(T x, T y) {
    T result = weft_power_magnitude(x, y);
    T half_y = y * (T)(0.5f);
    I whole = y == __builtin_elementwise_trunc(y);
    I odd = whole & (half_y != __builtin_elementwise_trunc(half_y));
    U negative = AS_TYPE(x, U) & (odd ? SIGN_BIT : (U)(0));
    result = AS_TYPE(AS_TYPE(result, U) | negative, T);
    result = (x < (T)(0)) & (x > (T)(-INFINITE)) & !whole ? (T)(NOT_A_NUMBER) : result;
    I one = (x == (T)(1)) | (y == (T)(0)) | ((x == (T)(-1)) & (FABS(y) == (T)(INFINITE)));
    return one ? (T)(1) : result;
}

FN T weft_powr(T x, T y) {
    T result = weft_power_magnitude(x, y);
    return x < (T)(0) ? (T)(NOT_A_NUMBER) : result;
}

// Widened or narrowed to lanes of T, so that they can choose between lanes of T.
#define TO_LANES(n) CONVERT(n, I)

FN T weft_pown(T x, VEC(int) n) {
    I lanes = TO_LANES(n);
    U negative = AS_TYPE(x, U) & ((lanes & (I)(1)) != (I)(0) ? SIGN_BIT : (U)(0));
    T result = AS_TYPE(AS_TYPE(weft_pown_magnitude(x, n), U) | negative, T);
    return lanes == (I)(0) ? (T)(1) : result;
}

FN T weft_rootn(T x, VEC(int) n) {
    I lanes = TO_LANES(n);
    I odd = (lanes & (I)(1)) != (I)(0);
    U negative = AS_TYPE(x, U) & (odd ? SIGN_BIT : (U)(0));
    T result = AS_TYPE(AS_TYPE(weft_root_magnitude(x, n), U) | negative, T);
    I undefined = ((x < (T)(0)) & !odd) | (lanes == (I)(0));
    return undefined ? (T)(NOT_A_NUMBER) : result;
}

#if T_SIZE == 4
FN T weft_native_powr(T x, T y) { return weft_powr(x, y); }
FN T weft_half_powr(T x, T y) { return weft_powr(x, y); }
#endif
#undef SIGN_BIT
#undef TO_LANES
