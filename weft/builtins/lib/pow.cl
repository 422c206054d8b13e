// pow, powr, pown, rootn: 2^(y * log2(x)), where log2(x) is a sum of two numbers, for a result that magnifies its
// error: log2(x) = n + log2(c) + log2((1+s)/(1-s)) with s = (m-c)/(m+c), x = m * 2^n, and c next to m.
//! uses: exponent
//! types: floats
//! pow(T, T) powr(T, T) pown(T, intN) rootn(T, intN)

#if T_SIZE == 4
#define MOST 200.0f
#define SPLIT 0x1.002p+12f
// 2 / log(2)
#define FACTOR 0x1.715476p+1f
#define FACTOR_LOW 0x1.4ae0cp-25f
#else
#define MOST 1200.0
#define SPLIT 0x1.0000002p+27
#define FACTOR 0x1.71547652b82fep+1
#define FACTOR_LOW 0x1.777d0ffda0d24p-55
#endif

// The rounding error of the product p = a * b.
FN T weft_product_error(T a, T b, T p) {
#ifdef FP_FAST_FMA
    return FMA(a, b, -p);
#else
    T ca = a * (T)(SPLIT), cb = b * (T)(SPLIT);
    T ah = ca - (ca - a), bh = cb - (cb - b);
    T al = a - ah, bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
#endif
}

// log2|x| as the sum of the result and *tail, at most a hundredth of it, for finite x other than 0. If a lane is
// `rare`, x is not positive and normal in all of them.
FN T weft_log2_for_pow(T x, I rare, __private T *tail) {
    I e;
    T correction;
    if (ANY(rare))
        x = FABS(x);
    x = weft_make_normal(x, rare, &correction);
#if T_SIZE == 4
    T m = weft_split_normal(x, &e);
    T n = weft_small_integer(e) + correction, c = (T)(1);
#else
    // From the fourth root of 1/2 on, c is 1 or the root of 2, whose logarithm is 1/2 and an error.
    T m = weft_split_normal(x, (I)(0x3feae89f995ad3adL), &e);
    I upper = m >= (T)(0x1.306fe0a31b715p+0);
    T n = weft_small_integer(e) + correction, c = upper ? (T)(0x1.6a09e667f3bcdp+0) : (T)(1);
    n = upper ? n + (T)(0.5) : n;
    T error = upper ? (T)(0x1.c6cdcb8cfcc24p-54) : (T)(0);
#endif
    T f = m - c, g = m + c;
    T g_low = m - (g - c);
    T reciprocal = (T)(1) / g;
    T s = f * reciprocal;
#ifdef FP_FAST_FMA
    T rest = FMA(-s, g, f);
#else
    T sg = s * g;
    T rest = (f - sg) - weft_product_error(s, g, sg);
#endif
    T s_low = MAD(-s, g_low, rest) * reciprocal;
    T z = s * s;
#if T_SIZE == 4
    T p = POLY3(z, 0x1.ec709ep-1f, 0x1.277768p-1f, 0x1.a5967ap-2f, 0x1.5c5fe4p-2f);
#else
    T p = POLY5(z, 0x1.ec709dc3a03fbp-1, 0x1.2776c50efb5f5p-1, 0x1.a617629cb471bp-2, 0x1.484b24e5a7458p-2,
                0x1.0c8d21b1f9c2cp-2, 0x1.d0df880454b08p-3);
#endif
    T high = s * (T)(FACTOR);
    T low = weft_product_error(s, (T)(FACTOR), high);
#if T_SIZE == 8
    low += error;
#endif
    low = MAD(s, (T)(FACTOR_LOW), low);
    low = MAD(s * z, p, MAD(s_low, (T)(FACTOR), low));
    T sum = n + high;
    *tail = ((n - sum) + high) + low;
    return sum;
}

// 2^(t + tail)
FN T weft_exp2_for_pow(T t, T tail) {
    I within = FABS(t) < (T)(MOST);
    t = CLAMPED(t, -MOST, MOST);
    tail = within ? tail : (T)(0);
    I n;
    T k = weft_nearest_product(t + tail, (T)(1), &n);
    return weft_scale_by_power(weft_exp2_reduced((t - k) + tail), n);
}

// |x|^y for finite x other than 0; y may be the sum of two numbers.
FN T weft_power_magnitude(T x, T y, __private const T *y_low, I rare) {
#ifndef FP_FAST_FMA
    // Beyond this every power but that of 1 is 0 or infinite, and parts of products stay finite.
    y = CLAMPED(y, -0x1p75f, 0x1p75f);
#endif
    T tail;
    T logarithm = weft_log2_for_pow(x, rare, &tail);
    T t = y * logarithm;
    T t_low = MAD(y, tail, weft_product_error(y, logarithm, t));
    return weft_exp2_for_pow(t, y_low ? MAD(*y_low, logarithm, t_low) : t_low);
}

// The power of 0, infinity and NaN, where `result` would be that of other numbers.
FN T weft_power_or_special(T x, T y, T result) {
    T magnitude = FABS(x);
    I edge = (magnitude == (T)(0)) | (magnitude == (T)(INFINITE));
    T grows = (magnitude > (T)(1)) == (y > (T)(0)) ? (T)(INFINITE) : (T)(0);
    result = edge ? grows : result;
    I undefined = (edge & (y == (T)(0))) | ((magnitude == (T)(1)) & (FABS(y) == (T)(INFINITE)));
    result = undefined ? (T)(NOT_A_NUMBER) : result;
    return (x != x) | (y != y) ? x + y : result;
}

#define SIGN_BIT ((U)((U1)1 << (T_SIZE * 8 - 1)))

FN T weft_pow(T x, T y) {
    I rare = weft_is_rare(x) | !(FABS(y) < (T)(INFINITE));
    T result = weft_power_magnitude(x, y, 0, rare);
    if (ANY(rare)) {
        result = weft_power_or_special(x, y, result);
        T half_y = y * (T)(0.5f);
        I whole = y == __builtin_elementwise_trunc(y);
        I odd = whole & (half_y != __builtin_elementwise_trunc(half_y));
        U negative = AS_TYPE(x, U) & (odd ? SIGN_BIT : (U)(0));
        result = AS_TYPE(AS_TYPE(result, U) | negative, T);
        result = (x < (T)(0)) & (x > (T)(-INFINITE)) & !whole ? (T)(NOT_A_NUMBER) : result;
        I one = (x == (T)(1)) | (y == (T)(0)) | ((x == (T)(-1)) & (FABS(y) == (T)(INFINITE)));
        result = one ? (T)(1) : result;
    }
    return result;
}

FN T weft_powr(T x, T y) {
    I rare = weft_is_rare(x) | !(FABS(y) < (T)(INFINITE));
    T result = weft_power_magnitude(x, y, 0, rare);
    if (ANY(rare)) {
        result = weft_power_or_special(x, y, result);
        result = x < (T)(0) ? (T)(NOT_A_NUMBER) : result;
    }
    return result;
}

// Widened or narrowed to lanes of T, so that they can choose between lanes of T.
#define TO_LANES(n) CONVERT(n, I)

FN T weft_pown(T x, VEC(int) n) {
    I rare = weft_is_rare(x);
    T y = CONVERT(n, T);
#if T_SIZE == 4
    // What is lost of large exponents. Those that are rounded up to 2^31 stay below it here.
    VEC(int) back = CONVERT(__builtin_elementwise_min(y, (T)(0x1.fffffep30f)), VEC(int));
    y = CONVERT(back, T);
    T y_low = CONVERT(n - back, T);
    T result = weft_power_magnitude(x, y, &y_low, rare);
#else
    T result = weft_power_magnitude(x, y, 0, rare);
#endif
    if (ANY(rare)) {
        I lanes = TO_LANES(n);
        result = weft_power_or_special(x, y, result);
        U negative = AS_TYPE(x, U) & ((lanes & (I)(1)) != (I)(0) ? SIGN_BIT : (U)(0));
        result = AS_TYPE(AS_TYPE(result, U) | negative, T);
        result = lanes == (I)(0) ? (T)(1) : result;
    }
    return result;
}

FN T weft_rootn(T x, VEC(int) n) {
    I lanes = TO_LANES(n);
    I rare = weft_is_rare(x) | (lanes == (I)(0));
    // Large exponents may be rounded: their roots are next to one.
    T tail, divisor = CONVERT(n, T);
    T logarithm = weft_log2_for_pow(x, rare, &tail);
    T t = logarithm / divisor;
    T product = t * divisor;
    T t_low = (((logarithm - product) - weft_product_error(t, divisor, product)) + tail) / divisor;
    T result = weft_exp2_for_pow(t, t_low);
    if (ANY(rare)) {
        result = weft_power_or_special(x, divisor, result);
        I odd = (lanes & (I)(1)) != (I)(0);
        U negative = AS_TYPE(x, U) & (odd ? SIGN_BIT : (U)(0));
        result = AS_TYPE(AS_TYPE(result, U) | negative, T);
        I undefined = ((x < (T)(0)) & !odd) | (lanes == (I)(0));
        result = undefined ? (T)(NOT_A_NUMBER) : result;
    }
    return result;
}

#undef MOST
#undef SPLIT
#undef FACTOR
#undef FACTOR_LOW
#undef SIGN_BIT
#undef TO_LANES
