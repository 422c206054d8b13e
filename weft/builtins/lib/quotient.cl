// The quotient that remquo stores, without the remainder.
//! uses: fmod
//! types: floats
//! __weft_quotient(T, T)

FN VEC(int) weft_signed_quotient(T x, T y, T remainder, I n) {
    I negative = (AS_TYPE(x, I) ^ AS_TYPE(y, I)) < (I)(0);
    n &= (I)(127);
    n = negative ? -n : n;
    return CONVERT(remainder == remainder ? n : (I)(0), VEC(int));
}

FN VEC(int) weft___weft_quotient(T x, T y) {
    I n;
    T r = weft_remainder_parts(x, y, &n);
    return weft_signed_quotient(x, y, r, n);
}
