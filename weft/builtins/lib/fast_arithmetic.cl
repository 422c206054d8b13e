// native_ and half_ arithmetic: the processor's own operations are as fast as any approximation, but for rsqrt.
//! uses: rsqrt
//! types: float
//! native_divide(T, T) native_recip(T) native_sqrt(T) native_rsqrt(T)
//! half_divide(T, T) half_recip(T) half_sqrt(T) half_rsqrt(T)

FN T weft_native_divide(T x, T y) { return x / y; }
FN T weft_native_recip(T x) { return (T)(1) / x; }
FN T weft_native_sqrt(T x) { return SQRT(x); }
FN T weft_native_rsqrt(T x) { return weft_rsqrt(x); }
FN T weft_half_divide(T x, T y) { return x / y; }
FN T weft_half_recip(T x) { return (T)(1) / x; }
FN T weft_half_sqrt(T x) { return SQRT(x); }
FN T weft_half_rsqrt(T x) { return weft_rsqrt(x); }
