// remquo: the remainder, and seven low bits of the quotient with its sign.
//! uses: fmod
//! types: floats
//! remquo(T, T, intN*)

FN T weft_remquo(T x, T y, AS VEC(int) *quotient) {
    I n;
    T r = weft_remainder_parts(x, y, &n);
    I negative = (AS_TYPE(x, I) ^ AS_TYPE(y, I)) < (I)(0);
    n &= (I)(127);
    n = negative ? -n : n;
    *quotient = CONVERT(r == r ? n : (I)(0), VEC(int));
    return r;
}
