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

#if T_SIZE == 8 && N == 16 && defined(FP_FAST_FMA)
// The root of a normal number by steps from a guess, as in rsqrt, the last of which rounds it as the processor does.
FN double8 weft_stepwise_root(double8 a) {
    double8 y = AS_TYPE((ulong8)(0x5fe6e90000000000UL) - (AS_TYPE(a, ulong8) >> (ulong8)(1)), double8);
    double8 e = MAD(-(a * y), y, (double8)(1));
    y = y * POLY3(e, 0x1.ffffe7124181bp-1, 0x1.ffff97396e381p-2, 0x1.814e98b515ffep-2, 0x1.41703e1d0e417p-2);
    double8 root = a * y;
    e = MAD(-root, y, (double8)(1));
    double8 p = e * POLY1(e, 0.5, 0.375);
    root = MAD(root, p, root);
    y = MAD(y, p, y);
    return MAD(FMA(-root, root, a), y * (double8)(0.5), root);
}

// The processor finds roots in a unit of its own, which takes its time: half of the lanes are done beside it.
FN T weft_roots(T a) {
    T result;
    result.lo = SQRT(a.lo);
    result.hi = weft_stepwise_root(a.hi);
    return result;
}
#else
FN T weft_roots(T a) { return SQRT(a); }
#endif

FN T weft_hypot(T x, T y) {
    T sum = MAD(x, x, y * y);
    T result = weft_roots(sum);
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
