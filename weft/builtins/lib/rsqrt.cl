// rsqrt: floats by square root and division; for doubles steps that need neither are faster.
//! uses: exponent
//! types: floats
//! rsqrt(T)

#if T_SIZE == 4
FN T weft_rsqrt(T x) { return (T)(1) / SQRT(x); }
#else
FN T weft_rsqrt_step(T x, T y) {
    T e = MAD(-(x * y), y, (T)(1));
    return MAD(y * e, POLY2(e, 0.5, 0.375, 0.3125), y);
}

FN T weft_rsqrt(T x) {
    I rare = weft_is_rare(x);
    T power;
    T a = weft_make_normal(x, rare, &power);
    // Minus half of the bits is a first guess, right to a thirtieth.
    T y = AS_TYPE((U)(0x5fe6e75000000000UL) - (AS_TYPE(a, U) >> (U)(1)), T);
    y = weft_rsqrt_step(a, weft_rsqrt_step(a, y));
    if (ANY(rare)) {
        y = power < (T)(0) ? y * (T)(0x1p27) : y;
        T special = x == (T)(INFINITE) ? (T)(0) : (T)(NOT_A_NUMBER);
        special = x == (T)(0) ? COPYSIGN((T)(INFINITE), x) : special;
        y = (x > (T)(0)) & (x < (T)(INFINITE)) ? y : special;
    }
    return y;
}
#endif
