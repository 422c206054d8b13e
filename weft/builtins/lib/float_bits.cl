// Functions that take floating-point numbers apart or put them together by their bits.
//! types: floats
//! ldexp(T, intN) ldexp(T, int) ilogb(T) logb(T) nextafter(T, T)

#if T_SIZE == 4
#define MANTISSA_BITS 23
#define BIAS 127
#define TINY 0x1p-126f
#else
#define MANTISSA_BITS 52
#define BIAS 1023
#define TINY 0x1p-1022
#endif
#define FIELD ((I)((2 * BIAS + 1)))
#define SIGN_BIT ((U)((U1)1 << (T_SIZE * 8 - 1)))

// The exponent field of |x|, continued below its smallest value for subnormal numbers; *m is x scaled to
// where the field is what is returned, or x itself.
FN I weft_exponent_field(T x, __private T *m) {
    I subnormal = FABS(x) < (T)(TINY);
    T scaled = x * (T)((T1)((U1)1 << (MANTISSA_BITS + 1)));
    *m = subnormal ? scaled : x;
    U field = (AS_TYPE(*m, U) & ~SIGN_BIT) >> (U)(MANTISSA_BITS);
    return AS_TYPE(field, I) - (subnormal ? (I)(MANTISSA_BITS + 1) : (I)(0));
}

FN T weft_ldexp_lanes(T x, I n) {
    T m;
    I field = weft_exponent_field(x, &m);
    // Far more than any exponent can bring back, and small enough for sums.
    n = __builtin_elementwise_min(__builtin_elementwise_max(n, (I)(-8 * BIAS)), (I)(8 * BIAS));
    I wanted = field + n;
    // Results below the normal range are made a factor larger first, so that there is one rounding.
    I low = wanted < (I)(1);
    I placed = __builtin_elementwise_max(low ? wanted + (I)(2 * MANTISSA_BITS) : wanted, (I)(1));
    placed = __builtin_elementwise_min(placed, FIELD);
    U kept = AS_TYPE(m, U) & (SIGN_BIT | (U)(((U1)1 << MANTISSA_BITS) - 1));
    U fraction = placed == FIELD ? kept & SIGN_BIT : kept;
    T result = AS_TYPE(fraction | (AS_TYPE(placed, U) << (U)(MANTISSA_BITS)), T);
    T1 scale = (T1)1 / (T1)((U1)1 << MANTISSA_BITS);
    result = low ? result * (T)(scale * scale) : result;
    return (x == (T)(0)) | !(FABS(x) < (T)(INFINITE)) ? x : result;
}

FN T weft_ldexp(T x, VEC(int) n) { return weft_ldexp_lanes(x, CONVERT(n, I)); }
#if N > 1
FN T weft_ldexp(T x, int n) { return weft_ldexp_lanes(x, (I)(n)); }
#endif

FN VEC(int) weft_ilogb(T x) {
    T m;
    I result = weft_exponent_field(x, &m) - (I)(BIAS);
    result = x == (T)(0) ? (I)(-2147483647 - 1) : result;
    result = FABS(x) < (T)(INFINITE) ? result : (I)(2147483647);
    return CONVERT(result, VEC(int));
}

FN T weft_logb(T x) {
    T m;
    T result = CONVERT(weft_exponent_field(x, &m) - (I)(BIAS), T);
    result = x == (T)(0) ? (T)(-INFINITE) : result;
    return FABS(x) < (T)(INFINITE) ? result : x * x;
}

// The bits of numbers of one sign are ordered as the numbers are.
FN T weft_nextafter(T x, T y) {
    I bits = AS_TYPE(x, I);
    I away = (x < y) == (x > (T)(0)) ? (I)(1) : (I)(-1);
    T stepped = AS_TYPE(bits + away, T);
    stepped = x == (T)(0) ? COPYSIGN(AS_TYPE((I)(1), T), y) : stepped;
    stepped = x == y ? y : stepped;
    return (x != x) | (y != y) ? x + y : stepped;
}
#undef MANTISSA_BITS
#undef BIAS
#undef TINY
#undef FIELD
#undef SIGN_BIT
