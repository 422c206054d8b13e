// native_ and half_ arithmetic: the processor's own operations are as fast as any approximation, but for rsqrt, and for
// roots of sixteen floats, which its unit for them takes long to find.
//! uses: rsqrt
//! types: float
//! native_divide(T, T) native_recip(T) native_sqrt(T) native_rsqrt(T)
//! half_divide(T, T) half_recip(T) half_sqrt(T) half_rsqrt(T)

FN T weft_native_divide(T x, T y) { return x / y; }
FN T weft_native_recip(T x) { return (T)(1) / x; }
#if N == 16 && defined(WEFT_TABLES)
// x / sqrt(x), as rsqrt finds the inverse. If a lane is no positive normal number, the processor does it.
FN T weft_native_sqrt(T x) {
    I rare = weft_is_rare(x);
    T y = weft_rsqrt_guess(x);
    T root = x * y;
    T e = MAD(-root, y, (T)(1));
    T result = MAD(root * e, weft_rsqrt_step(e), root);
    if (RARELY(rare))
        result = SQRT(x);
    return result;
}
#else
FN T weft_native_sqrt(T x) { return SQRT(x); }
#endif
FN T weft_native_rsqrt(T x) { return weft_rsqrt(x); }
FN T weft_half_divide(T x, T y) { return x / y; }
FN T weft_half_recip(T x) { return (T)(1) / x; }
FN T weft_half_sqrt(T x) { return weft_native_sqrt(x); }
FN T weft_half_rsqrt(T x) { return weft_rsqrt(x); }
