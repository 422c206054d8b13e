// remquo: the remainder, and seven low bits of the quotient with its sign.
//! uses: quotient
//! types: floats
//! remquo(T, T, intN*)

FN T weft_remquo(T x, T y, AS VEC(int) *quotient) {
    I n;
    T r = weft_remainder_parts(x, y, &n);
    *quotient = weft_signed_quotient(x, y, r, n);
    return r;
}
