// hypot: sqrt(x^2 + y^2). Only if squares overflow or underflow in a lane, or are no numbers, all lanes take the way
// that scales them; infinite if either is, even beside NaN.
//! types: floats
//! hypot(T, T)

#if T_SIZE == 4
#define LEAST 0x1p-80f
#define MOST 0x1p120f
#define LARGE 0x1p50f
#define DOWN 0x1p-75f
#define DOWN_BACK 0x1p75f
#define SMALL 0x1p-50f
#define UP 0x1p100f
#define UP_BACK 0x1p-100f
#else
#define LEAST 0x1p-900
#define MOST 0x1p1020
#define LARGE 0x1p500
#define DOWN 0x1p-600
#define DOWN_BACK 0x1p600
#define SMALL 0x1p-400
#define UP 0x1p600
#define UP_BACK 0x1p-600
#endif

FN T weft_hypot(T x, T y) {
    T sum = MAD(x, x, y * y);
    T result = SQRT(sum);
    I rare = !((sum >= (T)(LEAST)) & (sum <= (T)(MOST)));
    if (RARELY(rare)) {
        T a = __builtin_elementwise_maxnum(FABS(x), FABS(y));
        I large = a > (T)(LARGE), small = a < (T)(SMALL);
        T scale = large ? (T)(DOWN) : small ? (T)(UP) : (T)(1);
        T back = large ? (T)(DOWN_BACK) : small ? (T)(UP_BACK) : (T)(1);
        T p = x * scale, q = y * scale;
        result = SQRT(MAD(p, p, q * q)) * back;
        result = a == (T)(INFINITE) ? (T)(INFINITE) : result;
    }
    return result;
}
#undef LEAST
#undef MOST
#undef LARGE
#undef DOWN
#undef DOWN_BACK
#undef SMALL
#undef UP
#undef UP_BACK
