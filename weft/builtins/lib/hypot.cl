// hypot: sqrt(x^2 + y^2) without overflow or underflow on the way; infinite if either is, even beside NaN.
//! types: floats
//! hypot(T, T)

FN T weft_hypot(T x, T y) {
#if T_SIZE == 4
    VEC(double) a = CONVERT(x, VEC(double)), b = CONVERT(y, VEC(double));
    T result = CONVERT(SQRT(a * a + b * b), T);
#else
    T a = __builtin_elementwise_maxnum(FABS(x), FABS(y)), b = __builtin_elementwise_minnum(FABS(x), FABS(y));
    T scale = a > (T)(0x1p500) ? (T)(0x1p-600) : a < (T)(0x1p-500) ? (T)(0x1p600) : (T)(1);
    T back = a > (T)(0x1p500) ? (T)(0x1p600) : a < (T)(0x1p-500) ? (T)(0x1p-600) : (T)(1);
    a *= scale;
    b *= scale;
    T result = SQRT(MAD(a, a, b * b)) * back + (x - x) + (y - y);
#endif
    return (FABS(x) == (T)(INFINITE)) | (FABS(y) == (T)(INFINITE)) ? (T)(INFINITE) : result;
}
