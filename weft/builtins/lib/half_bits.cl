// A float or double as the bits of a half, rounded as asked.
//! uses: half_nearest

#if N == 1
#define LANES(c) (c)
#else
#define LANES(c) __builtin_convertvector(c, VEC(short))
#endif

// The bits of the nearest half, moved one step where that lies on the wrong side of x. The modes are -1 toward
// zero, 0 nearest, 1 up, 2 down.
FN VEC(short) weft_half_bits(T x, int mode) {
    VEC(half) nearest = weft_nearest_half(x);
    VEC(short) bits = AS_TYPE(nearest, VEC(short));
    if (mode == 0)
        return bits;
    T back = CONVERT(nearest, T);
    VEC(short) above = LANES(back > x), below = LANES(back < x);
    VEC(short) negative = bits < (VEC(short))(0), zero = (bits & (VEC(short))(0x7fff)) == (VEC(short))(0);
    VEC(short) step = negative ? (VEC(short))(-1) : (VEC(short))(1);
    if (mode < 0)
        return (negative ? below : above) ? bits - (zero ? (VEC(short))(0) : (VEC(short))(1)) : bits;
    if (mode == 1)
        return below ? (zero ? (VEC(short))(1) : bits + step) : bits;
    return above ? (zero ? (VEC(short))(-32767) : bits - step) : bits;
}
#undef LANES
