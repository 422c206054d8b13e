// fmod and remainder: exact, by a division that takes off as many bits of the quotient at a time as a fused
// product holds exactly.
//! types: floats
//! fmod(T, T) remainder(T, T)

#if T_SIZE == 4
#define CHUNK 0x1p22f
#else
#define CHUNK 0x1p51
#endif
// What is left of |x| after taking off |y| as often as it goes; *quotient has the low bits of how often.
FN T weft_divide_exactly(T x, T y, __private I *quotient) {
    T r = FABS(x), divisor = FABS(y);
    I valid = (r < (T)(INFINITE)) & (divisor > (T)(0));
    r = valid ? r : (T)(0);
    divisor = valid ? divisor : (T)(1);
    *quotient = (I)(0);
    while (ANY(r >= divisor)) {
        // A multiple of the divisor by a power of two, so that the quotient is an exact integer.
        T d = divisor;
        for (I far = r / d >= (T)(2 * CHUNK); ANY(far); far = r / d >= (T)(2 * CHUNK))
            d = far ? d * (T)(CHUNK) : d;
        T q = __builtin_elementwise_trunc(r / d);
        T rest = FMA(-q, d, r);
        // The quotient may have been rounded up to the next integer.
        q = rest < (T)(0) ? q - (T)(1) : q;
        rest = rest < (T)(0) ? rest + d : rest;
        *quotient = (r >= divisor) & (d == divisor) ? CONVERT(q, I) : *quotient;
        r = r >= divisor ? rest : r;
    }
    return valid & (y == y) ? r : (T)(NOT_A_NUMBER);
}

FN T weft_fmod(T x, T y) {
    I quotient;
    return COPYSIGN(weft_divide_exactly(x, y, &quotient), x);
}

// x - n * y for the integer n nearest to x / y, the even one of two.
FN T weft_remainder_parts(T x, T y, __private I *quotient) {
    T r = weft_divide_exactly(x, y, quotient), divisor = FABS(y);
    T other = divisor - r;
    I up = (r > other) | ((r == other) & ((*quotient & (I)(1)) != (I)(0)));
    *quotient = up ? *quotient + (I)(1) : *quotient;
    r = up ? -other : r;
    return AS_TYPE(AS_TYPE(r, U) ^ (AS_TYPE(x, U) & (U)((U1)1 << (T_SIZE * 8 - 1))), T);
}

FN T weft_remainder(T x, T y) {
    I quotient;
    return weft_remainder_parts(x, y, &quotient);
}
#undef CHUNK
