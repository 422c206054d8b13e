// rsqrt: steps that need neither a root nor a division, from a guess by the argument's bits.
//! uses: exponent
//! types: floats
//! rsqrt(T)

#if T_SIZE == 4
// Minus half of the bits, right to a thirtieth, or to an eightieth if the first bits choose what it is taken from.
FN T weft_rsqrt_guess(T x) {
    I whole = (I)(0x5f374740);
#ifdef WEFT_TABLES
    TABLE(int, 16, wholes) = {0x5f33cdf0, 0x5f3246f8, 0x5f3224ed, 0x5f331a01, 0x5f34eb99, 0x5f377087,
                              0x5f3a8949, 0x5f3d7d08, 0x5f3c8f47, 0x5f371929, 0x5f339c21, 0x5f31a7c0,
                              0x5f30e67b, 0x5f312d2f, 0x5f323f78, 0x5f34005c};
    PICK(whole, wholes, AS_TYPE(x, U) >> (U)(20));
#endif
    return AS_TYPE(AS_TYPE(whole, U) - (AS_TYPE(x, U) >> (U)(1)), T);
}

// (1 / sqrt(1 - e) - 1) / e for what the guess leaves.
FN T weft_rsqrt_step(T e) {
#ifdef WEFT_TABLES
    return POLY2(e, 0x1.fffffep-2f, 0x1.802a5ap-2f, 0x1.403214p-2f);
#elif defined(FP_FAST_FMA)
    return POLY3(e, 0x1.ffff9p-2f, 0x1.7fff8p-2f, 0x1.417846p-2f, 0x1.1971c2p-2f);
#else
    return POLY4(e, 0.5f, 0x1.7fff72p-2f, 0x1.3fff2p-2f, 0x1.19805cp-2f, 0x1.fb4b5cp-3f);
#endif
}
#endif

FN T weft_rsqrt(T x) {
    I rare = weft_is_rare(x);
    T a = x, back = (T)(1);
    if (RARELY(rare)) {
        // Subnormal numbers by an even power of two.
        I subnormal = FABS(x) < (T)(T_SIZE == 4 ? 0x1p-126f : (T1)0x1p-1022);
        a = subnormal ? x * (T)(T_SIZE == 4 ? 0x1p24f : 0x1p54f) : x;
        back = subnormal ? (T)(T_SIZE == 4 ? 0x1p12f : 0x1p27f) : back;
    }
    // A polynomial for 1 / sqrt(1 - e) makes a guess right for float; for double, whose guess becomes right to 2^-21, a
    // second one adds what is left.
#if T_SIZE == 4
    T y = weft_rsqrt_guess(a);
    T e = MAD(-(a * y), y, (T)(1));
    y = MAD(y * e, weft_rsqrt_step(e), y);
#else
    T y = AS_TYPE((U)(0x5fe6e90000000000UL) - (AS_TYPE(a, U) >> (U)(1)), T);
    T e = MAD(-(a * y), y, (T)(1));
    y = y * POLY3(e, 0x1.ffffe7124181bp-1, 0x1.ffff97396e381p-2, 0x1.814e98b515ffep-2, 0x1.41703e1d0e417p-2);
    e = MAD(-(a * y), y, (T)(1));
    y = MAD(y * e, POLY1(e, 0.5, 0.375), y);
#endif
    if (RARELY(rare)) {
        T special = x == (T)(INFINITE) ? (T)(0) : (T)(NOT_A_NUMBER);
        special = x == (T)(0) ? COPYSIGN((T)(INFINITE), x) : special;
        y = (x > (T)(0)) & (x < (T)(INFINITE)) ? y * back : special;
    }
    return y;
}
