// hypot: sqrt(x^2 + y^2) without overflow or underflow on the way; infinite if either is, even beside NaN.
//! types: floats
//! hypot(T, T)

#if T_SIZE == 4
#define LARGE 0x1p50f
#define DOWN 0x1p-75f
#define DOWN_BACK 0x1p75f
#define SMALL 0x1p-50f
#define UP 0x1p100f
#define UP_BACK 0x1p-100f
#else
#define LARGE 0x1p500
#define DOWN 0x1p-600
#define DOWN_BACK 0x1p600
#define SMALL 0x1p-500
#define UP 0x1p600
#define UP_BACK 0x1p-600
#endif

FN T weft_hypot(T x, T y) {
    T a = __builtin_elementwise_maxnum(FABS(x), FABS(y)), b = __builtin_elementwise_minnum(FABS(x), FABS(y));
    I large = a > (T)(LARGE), small = a < (T)(SMALL);
    T scale = large ? (T)(DOWN) : small ? (T)(UP) : (T)(1);
    T back = large ? (T)(DOWN_BACK) : small ? (T)(UP_BACK) : (T)(1);
    T p = a * scale, q = b * scale;
    T result = SQRT(MAD(p, p, q * q)) * back;
    result = (x != x) | (y != y) ? (T)(NOT_A_NUMBER) : result;
    return a == (T)(INFINITE) ? (T)(INFINITE) : result;
}
#undef LARGE
#undef DOWN
#undef DOWN_BACK
#undef SMALL
#undef UP
#undef UP_BACK
