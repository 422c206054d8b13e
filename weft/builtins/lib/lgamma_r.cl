// lgamma_r: the logarithm of |gamma(x)|, and the sign of gamma(x) through a pointer.
//! uses: lgamma gamma_sign
//! types: floats
//! lgamma_r(T, intN*)

FN T weft_lgamma_r(T x, AS VEC(int) *sign) {
    *sign = CONVERT(weft_gamma_sign(x), VEC(int));
    return weft_lgamma(x);
}
