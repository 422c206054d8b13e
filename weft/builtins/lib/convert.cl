// Explicit conversions: convert_<type>[_sat][_<rounding>]. T is the type converted from, TO the result;
// NAME, SATURATE, ROUND_* and the kinds of both types come from the function's name and parameter.
//! open
//! uses: half_nearest

#define TO VEC(TO1)
#define TO_INT VEC(TO_BITS)
// A comparison of values of the source type, as lanes of the size of the result.
#define CHOOSE(c) PASTE(CHOOSE_, IS_SCALAR)(c)
#define CHOOSE_1(c) (c)
#define CHOOSE_0(c) __builtin_convertvector(c, TO_INT)

#if defined(TO_IS_FLOAT)

// Integers that are rounded to float on the way are beyond all halves.
#if TO_SIZE == 2 && defined(FROM_IS_FLOAT)
#define NEAREST(x) weft_nearest_half(x)
#else
#define NEAREST(x) CONVERT(x, TO)
#endif
#if defined(ROUND_RTE) || (defined(FROM_IS_FLOAT) && T_SIZE <= TO_SIZE) || (!defined(FROM_IS_FLOAT) && T_SIZE < TO_SIZE)
FN TO NAME(T x) { return NEAREST(x); }
#else
// The hardware rounds to nearest; a result on the wrong side of x moves one step back over it.
FN TO NAME(T x) {
    TO nearest = NEAREST(x);
#ifdef FROM_IS_FLOAT
    T back = CONVERT(nearest, T);
    TO_INT above = CHOOSE(back > x), below = CHOOSE(back < x);
#elif TO_SIZE == 2
    // What is nearest to a short need not be one.
#if T_SIZE == 2
#define WIDE VEC(int)
#else
#define WIDE T
#endif
    TO_INT outside = FABS(nearest) == (TO)(INFINITE), negative = AS_TYPE(nearest, TO_INT) < (TO_INT)(0);
    WIDE wide = CONVERT(x, WIDE), back = CONVERT(outside ? (TO)(0) : nearest, WIDE);
    TO_INT above = outside ? !negative : CHOOSE(back > wide), below = outside ? negative : CHOOSE(back < wide);
#undef WIDE
#else
    // 2^31, 2^32, 2^63 or 2^64: what x may be rounded to but not hold.
#ifdef FROM_IS_SIGNED
    TO limit = (TO)(T_SIZE == 4 ? 0x1p31 : 0x1p63);
#else
    TO limit = (TO)(T_SIZE == 4 ? 0x1p32 : 0x1p64);
#endif
    TO_INT outside = nearest >= limit;
    T back = CONVERT(outside ? (TO)(0) : nearest, T);
    TO_INT above = CHOOSE(back > x) | outside;
    TO_INT below = CHOOSE(back < x) & ~MASK(outside);
#endif
    TO_INT bits = AS_TYPE(nearest, TO_INT);
    TO_INT step = bits < (TO_INT)(0) ? (TO_INT)(-1) : (TO_INT)(1);
    TO_INT smallest = (TO_INT)(1);
    TO_INT sign = (TO_INT)((TO_BITS)1 << (TO_SIZE * 8 - 1));
    TO_INT is_zero = (bits & ~sign) == (TO_INT)(0);
#if defined(ROUND_RTZ)
    TO_INT toward_zero = ((bits < (TO_INT)(0)) ? below : above);
    bits = toward_zero & ~MASK(is_zero) ? bits - (TO_INT)(1) : bits;
#elif defined(ROUND_RTP)
    bits = below ? (is_zero ? smallest : bits + step) : bits;
#else
    bits = above ? (is_zero ? (smallest | sign) : bits - step) : bits;
#endif
    return AS_TYPE(bits, TO);
}
#endif
#undef NEAREST

#elif defined(FROM_IS_FLOAT)

FN TO NAME(T x) {
#if defined(ROUND_RTE)
    T rounded = RINT(x);
#elif defined(ROUND_RTP)
    T rounded = __builtin_elementwise_ceil(x);
#elif defined(ROUND_RTN)
    T rounded = __builtin_elementwise_floor(x);
#else
    T rounded = x;  // as the conversion itself does
#endif
    TO result = CONVERT(rounded, TO);
#if SATURATE
#ifdef TO_IS_SIGNED
    T limit = (T)(TO_SIZE == 1 ? 0x1p7 : TO_SIZE == 2 ? 0x1p15 : TO_SIZE == 4 ? 0x1p31 : 0x1p63);
    TO most = (TO)((TO1)(((TO_BITS)1 << (TO_SIZE * 8 - 1)) - 1));
    TO least = (TO)((TO1)((TO_BITS)1 << (TO_SIZE * 8 - 1)));
    result = CHOOSE(rounded < -limit) ? least : result;
#else
    T limit = (T)(TO_SIZE == 1 ? 0x1p8 : TO_SIZE == 2 ? 0x1p16 : TO_SIZE == 4 ? 0x1p32 : 0x1p64);
    TO most = (TO)((TO1)~(TO1)0);
    result = CHOOSE(rounded < (T)(0)) ? (TO)(0) : result;
#endif
    result = CHOOSE(rounded >= limit) ? most : result;
    result = CHOOSE(x != x) ? (TO)(0) : result;
#endif
    return result;
}

#else

FN TO NAME(T x) {
#if SATURATE
    // Bounds of the result that the source can exceed; those it cannot are left out.
#if defined(FROM_IS_SIGNED) && defined(TO_IS_UNSIGNED)
    x = __builtin_elementwise_max(x, (T)(0));
#elif defined(FROM_IS_SIGNED) && TO_SIZE < T_SIZE
    x = __builtin_elementwise_max(x, (T)(-((T1)1 << (TO_SIZE * 8 - 1))));
#endif
#if TO_SIZE < T_SIZE && defined(TO_IS_UNSIGNED)
    x = __builtin_elementwise_min(x, (T)(((T1)1 << (TO_SIZE * 8)) - 1));
#elif defined(TO_IS_SIGNED) && (TO_SIZE < T_SIZE || (TO_SIZE == T_SIZE && defined(FROM_IS_UNSIGNED)))
    x = __builtin_elementwise_min(x, (T)(T1)(((U1)1 << (TO_SIZE * 8 - 1)) - 1));
#endif
#endif
    return CONVERT(x, TO);
}

#endif
#undef TO
#undef TO_INT
#undef CHOOSE
#undef CHOOSE_1
#undef CHOOSE_0
