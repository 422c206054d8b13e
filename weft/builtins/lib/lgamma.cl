// lgamma; floats are computed in double.
//! uses: lgamma_wide:double
//! types: floats
//! lgamma(T)

FN T weft_lgamma(T x) { return CONVERT(weft_lgamma_wide(CONVERT(x, VEC(double))), T); }
