// cbrt: floats are computed in double, where fewer steps are enough for one rounding.
//! uses: cbrt_steps:double
//! types: floats
//! cbrt(T)

FN T weft_cbrt(T x) {
#if T_SIZE == 4
    VEC(double) magnitude = CONVERT(FABS(x), VEC(double));
    T result = CONVERT(weft_cbrt_steps(magnitude, 0), T);
#else
    T scale = FABS(x) < (T)(0x1p-1000) ? (T)(0x1p162) : (T)(1), back = FABS(x) < (T)(0x1p-1000) ? (T)(0x1p-54) : (T)(1);
    scale = FABS(x) > (T)(0x1p1000) ? (T)(0x1p-162) : scale;
    back = FABS(x) > (T)(0x1p1000) ? (T)(0x1p54) : back;
    T result = weft_cbrt_steps(FABS(x) * scale, 1) * back;
#endif
    return (x == (T)(0)) | !(FABS(x) < (T)(INFINITE)) ? x : COPYSIGN(result, x);
}
