// expm1, sinh, cosh, tanh: from e^x = (1 + p) * 2^n, keeping p where the whole would lose it.
//! uses: exp_parts
//! types: floats
//! expm1(T) sinh(T) cosh(T) tanh(T)

#if T_SIZE == 4
#define BIAS 127
#define MANTISSA_BITS 23
#define FAR 10.0f
#else
#define BIAS 1023
#define MANTISSA_BITS 52
#define FAR 22.0
#endif

// (1 + p) * 2^n - 1 as (p + (1 - 2^-n)) * 2^n, whose inner difference is exact for small n.
FN T weft_expm1_of_parts(T p, I n) {
    I small = __builtin_elementwise_min(n, (I)(100));
    T inverse = AS_TYPE(((I)(BIAS) - small) << (I)(MANTISSA_BITS), T);
    return weft_scale_by_power(((T)(1) - inverse) + p, n);
}

FN T weft_expm1(T x) {
    I n;
    // Below, the result is -1.
    T p = weft_exp_parts(x < (T)(-50) ? (T)(-50) : x, &n);
    T result = weft_expm1_of_parts(p, n);
    return x == (T)(0) ? x : result;
}

FN T weft_sinh(T x) {
    I n;
    T magnitude = FABS(x);
    T p = weft_exp_parts(magnitude, &n);
    T e = weft_expm1_of_parts(p, n);
    T near = (T)(0.5f) * (e + e / (e + (T)(1)));
    T far = weft_scale_by_power(p + (T)(1), n - (I)(1));
    T result = COPYSIGN(magnitude > (T)(FAR) ? far : near, x);
    return x == (T)(0) ? x : result;
}

FN T weft_cosh(T x) {
    I n;
    T p = weft_exp_parts(FABS(x), &n);
    T half_power = weft_scale_by_power(p + (T)(1), n - (I)(1));
    return half_power + (T)(0.25f) / half_power;
}

FN T weft_tanh(T x) {
    I n;
    T magnitude = FABS(x) > (T)(FAR) ? (T)(FAR) : FABS(x);
    T p = weft_exp_parts_within(magnitude + magnitude, (T)(-0.0f), &n);
    T scale = AS_TYPE((n + (I)(BIAS)) << (I)(MANTISSA_BITS), T);
    T e = MAD(p, scale, scale - (T)(1));
    return COPYSIGN(e / (e + (T)(2)), x);
}
#undef BIAS
#undef MANTISSA_BITS
#undef FAR
