// Sine and cosine of float for native_ and half_ functions and -cl-fast-relaxed-math: half turns are taken off, so that
// one polynomial serves, and no branch. They are meant for up to 2^17; far beyond, all that holds is that the result is
// no larger than 1.
//! uses: trig_reduce trig_parts

#if T_SIZE == 4 && defined(FP_FAST_FMA)
// x = k * pi + r, with a k that is near x / pi; where rounding makes r larger than it can be, it is bounded.
FN T weft_less_half_turns(T x, T k) {
    T r = FMA(k, (T)(-0x1.921fb6p+1f), x);
    r = FMA(k, (T)(0x1.777a5cp-24f), r);
    r = r < (T)(-1.6f) ? (T)(-1.6f) : r;
    return r > (T)(1.6f) ? (T)(1.6f) : r;
}

// sin(r), negative if the last bit of `turns` is set.
FN T weft_sin_of_half_turns(T r, T turns) {
    T square = r * r;
    T p = POLY3(square, -0x1.55554cp-3f, 0x1.110ed4p-7f, -0x1.9f6feap-13f, 0x1.5dbcb8p-19f);
    return AS_TYPE(AS_TYPE(MAD(r * square, p, r), U) ^ (AS_TYPE(turns, U) << (U)(31)), T);
}

FN T weft_quick_sin(T x) {
    T magic = (T)(0x1.8p23f);  // the sum's lowest bits are the nearest integer
    T turns = FMA(x, (T)(0x1.45f306p-2f), magic);
    return weft_sin_of_half_turns(weft_less_half_turns(x, turns - magic), turns);
}

FN T weft_quick_cos(T x) {
    T magic = (T)(0x1.8p23f);
    T turns = FMA(x, (T)(0x1.45f306p-2f), (T)(0.5f)) + magic;
    return weft_sin_of_half_turns(weft_less_half_turns(x, (turns - magic) - (T)(0.5f)), turns);
}
#elif T_SIZE == 4
FN T weft_quick_sin(T x) {
    I quadrant;
    T r = weft_reduce_relaxed(x, &quadrant);
    return weft_sin_of_parts(x, r, quadrant);
}

FN T weft_quick_cos(T x) {
    I quadrant;
    T r = weft_reduce_relaxed(x, &quadrant);
    return weft_cos_of_parts(r, quadrant);
}
#endif
