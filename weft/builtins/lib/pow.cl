// pow, powr, pown, rootn: 2^(y * log2(x)), where log2(x) is a sum of two numbers, for a result that magnifies its
// error. With -cl-fast-relaxed-math pow and powr of float do without that.
//! uses: pow_parts
//! types: floats
//! pow(T, T) powr(T, T) pown(T, intN) rootn(T, intN)

// |x|^y for finite x other than 0; y may be the sum of two numbers.
// Lanes with a result that is no normal number become `rare` too.
FN T weft_power_magnitude(T x, T y, __private const T *y_low, __private I *rare) {
#ifndef FP_FAST_FMA
    // Beyond this every power but that of 1 is 0 or infinite, and parts of products stay finite. 1 to the power of
    // infinity is looked for below, although the product is not infinite.
    *rare |= FABS(y) > (T)(0x1p75f);
    y = CLAMPED(y, -0x1p75f, 0x1p75f);
#endif
    T tail, near;
    T logarithm = weft_log2_for_pow(x, *rare, &tail, &near);
    T t = y * logarithm;
    T t_low = MAD(y, tail, weft_product_error(y, logarithm, t));
    *rare |= weft_is_extreme(t);
    return weft_exp2_for_pow(t, y_low ? MAD(*y_low, logarithm, t_low) : t_low, y, near, *rare);
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

#if T_SIZE == 4 && defined(WEFT_FAST_RELAXED_MATH)
// x^y for x >= 0, with a logarithm of one number, as weft_log2_for_pow begins it.
FN T weft_relaxed_power(T x, T y) {
    I e, rare = weft_is_rare(x);
    T base;
    T m = weft_split_normal(weft_make_normal(x, rare, &base), &e);
    T u = (m - (T)(1)) * (T)(0x1.715476p+1f) / (m + (T)(1));
    T z = u * u;
    T p = POLY3(z, 0x1.47fd4p-5f, 0x1.7a3412p-9f, 0x1.0345bap-12f, 0x1.9bbe0cp-16f);
    T logarithm = weft_small_integer(e, base) + MAD(u * z, p, u);
    if (RARELY(rare))
        logarithm = (x == (T)(0)) & (y != (T)(0)) ? (T)(-INFINITE) : logarithm;
    T t = y * logarithm;
    return weft_exp2_for_pow(t, (T)(0), y, logarithm, rare | weft_is_extreme(t));
}

FN T weft_pow(T x, T y) {
    T result = weft_relaxed_power(FABS(x), y);
    if (RARELY(x < (T)(0))) {
        T half_y = y * (T)(0.5f);
        I whole = y == __builtin_elementwise_trunc(y);
        I odd = whole & (half_y != __builtin_elementwise_trunc(half_y));
        T negative = odd ? -result : whole ? result : (T)(NOT_A_NUMBER);
        result = x < (T)(0) ? negative : result;
    }
    return result;
}

FN T weft_powr(T x, T y) { return weft_relaxed_power(x, y); }
#else
FN T weft_pow(T x, T y) {
    I rare = weft_is_rare(x);
    T result = weft_power_magnitude(x, y, 0, &rare);
    if (RARELY(rare)) {
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
    I rare = weft_is_rare(x);
    T result = weft_power_magnitude(x, y, 0, &rare);
    if (RARELY(rare)) {
        result = weft_power_or_special(x, y, result);
        result = x < (T)(0) ? (T)(NOT_A_NUMBER) : result;
    }
    return result;
}
#endif

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
    T result = weft_power_magnitude(x, y, &y_low, &rare);
#else
    T result = weft_power_magnitude(x, y, 0, &rare);
#endif
    if (RARELY(rare)) {
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
    T tail, near, divisor = CONVERT(n, T);
    T logarithm = weft_log2_for_pow(x, rare, &tail, &near);
    T t = logarithm / divisor;
    T product = t * divisor;
    T t_low = (((logarithm - product) - weft_product_error(t, divisor, product)) + tail) / divisor;
    rare |= weft_is_extreme(t);
    T result = weft_exp2_for_pow(t, t_low, t + t_low, (T)(1), rare);
    if (RARELY(rare)) {
        result = weft_power_or_special(x, divisor, result);
        I odd = (lanes & (I)(1)) != (I)(0);
        U negative = AS_TYPE(x, U) & (odd ? SIGN_BIT : (U)(0));
        result = AS_TYPE(AS_TYPE(result, U) | negative, T);
        I undefined = ((x < (T)(0)) & !odd) | (lanes == (I)(0));
        result = undefined ? (T)(NOT_A_NUMBER) : result;
    }
    return result;
}

#undef SIGN_BIT
#undef TO_LANES
