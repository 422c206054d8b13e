// tgamma; floats are computed in double.
//! uses: tgamma_wide:double
//! types: floats
//! tgamma(T)

FN T weft_tgamma(T x) { return CONVERT(weft_tgamma_wide(CONVERT(x, VEC(double))), T); }
