// cbrt: a third of the exponent as a first guess, then steps that triple the number of right bits (Halley).
// Floats are computed in double, whose second step is already exact enough for one rounding.
//! types: floats
//! cbrt(T)

#define WIDE VEC(double)
FN WIDE weft_cbrt_steps(WIDE x, int extra) {
    // Thirds of the bits, by a product that stands for the division by three.
    VEC(ulong) third = ((AS_TYPE(x, VEC(ulong)) >> (VEC(ulong))(32)) * (VEC(ulong))(0x55555556UL)) >> (VEC(ulong))(32);
    WIDE t = AS_TYPE((third + (VEC(ulong))(0x2a9f7893UL)) << (VEC(ulong))(32), WIDE);
    for (int i = 0; i < 2 + extra; ++i) {
        WIDE cube = t * t * t;
        t = t - t * ((cube - x) / (cube + cube + x));
    }
    return t;
}

FN T weft_cbrt(T x) {
#if T_SIZE == 4
    WIDE magnitude = CONVERT(FABS(x), WIDE);
    T result = CONVERT(weft_cbrt_steps(magnitude, 0), T);
#else
    I small = FABS(x) < (T)(0x1p-1000);
    I large = FABS(x) > (T)(0x1p1000);
    T magnitude = small ? FABS(x) * (T)(0x1p162) : large ? FABS(x) * (T)(0x1p-162) : FABS(x);
    T result = weft_cbrt_steps(magnitude, 1);
    result = small ? result * (T)(0x1p-54) : large ? result * (T)(0x1p54) : result;
#endif
    return (x == (T)(0)) | !(FABS(x) < (T)(INFINITE)) ? x : COPYSIGN(result, x);
}
#undef WIDE
