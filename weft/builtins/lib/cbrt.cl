// cbrt: floats are computed in double, where fewer steps are enough for one rounding.
//! uses: cbrt_steps:double
//! types: floats
//! cbrt(T)

FN T weft_cbrt(T x) {
#if T_SIZE == 4
    VEC(double) magnitude = CONVERT(FABS(x), VEC(double));
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
