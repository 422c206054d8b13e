// frexp: x = result * 2^e with 1/2 <= |result| < 1; zero, infinities and NaN have e = 0.
//! open
//! uses: float_bits
//! types: floats
//! frexp(T, intN*)

FN T weft_frexp(T x, AS VEC(int) *exponent) {
    T m;
    I field = weft_exponent_field(x, &m);
#if T_SIZE == 4
    I e = field - (I)(126);
    T fraction = AS_TYPE((AS_TYPE(m, U) & (U)(0x807fffffU)) | (U)(0x3f000000U), T);
#else
    I e = field - (I)(1022);
    T fraction = AS_TYPE((AS_TYPE(m, U) & (U)(0x800fffffffffffffUL)) | (U)(0x3fe0000000000000UL), T);
#endif
    I plain = (x == (T)(0)) | !(FABS(x) < (T)(INFINITE));
    *exponent = CONVERT(plain ? (I)(0) : e, VEC(int));
    return plain ? x : fraction;
}
