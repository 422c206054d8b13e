// Functions of half that are not those of float: on its bits, with its own steps, or rounded once.
//! uses: half_nearest:double
//! open
//! types: half
//! fabs(T) copysign(T, T) fma(T, T, T) nextafter(T, T)
//! fmin(T, T) fmin(T, T1) fmax(T, T) fmax(T, T1)

#define SIGN_BIT ((U)(0x8000))
FN T weft_fabs(T x) { return AS_TYPE((U)(AS_TYPE(x, U) & ~SIGN_BIT), T); }
FN T weft_copysign(T x, T y) {
    return AS_TYPE((U)((AS_TYPE(x, U) & ~SIGN_BIT) | (AS_TYPE(y, U) & SIGN_BIT)), T);
}

// By comparisons, which LLVM makes for all lanes at once; minnum and maxnum of half it does not.
FN T weft_fmin(T x, T y) { return (y < x) | (x != x) ? y : x; }
FN T weft_fmax(T x, T y) { return (x < y) | (x != x) ? y : x; }
#if N > 1
FN T weft_fmin(T x, T1 y) { return weft_fmin(x, (T)(y)); }
FN T weft_fmax(T x, T1 y) { return weft_fmax(x, (T)(y)); }
#endif

// In double the product is exact. So is the sum, unless one part is so small beside the other, a half, that it cannot
// decide how the sum is rounded.
FN T weft_fma(T a, T b, T c) {
    VEC(double) product = CONVERT(a, VEC(double)) * CONVERT(b, VEC(double));
    return weft_nearest_half(product + CONVERT(c, VEC(double)));
}

// The bits of numbers of one sign are ordered as the numbers are.
FN T weft_nextafter(T x, T y) {
    VEC(float) a = CONVERT(x, VEC(float)), b = CONVERT(y, VEC(float));
    VEC(int) away = (a < b) == (a > (VEC(float))(0)) ? (VEC(int))(1) : (VEC(int))(-1);
    VEC(int) bits = CONVERT(AS_TYPE(x, U), VEC(int)), other = CONVERT(AS_TYPE(y, U), VEC(int));
    VEC(int) stepped = a == (VEC(float))(0) ? (other & (VEC(int))(0x8000)) | (VEC(int))(1) : bits + away;
    stepped = a == b ? other : stepped;
    stepped = a != a ? bits : b != b ? other : stepped;
    return AS_TYPE(CONVERT(stepped, U), T);
}
#undef SIGN_BIT
