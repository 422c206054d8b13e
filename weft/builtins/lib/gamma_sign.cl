// The sign of gamma(x): 0 where it has none.
FN I weft_gamma_sign(T x) {
    T whole = __builtin_elementwise_floor(x);
    T half_whole = whole * (T)(0.5f);
    I odd = half_whole != __builtin_elementwise_floor(half_whole);
    I sign = (x < (T)(0)) & odd ? (I)(-1) : (I)(1);
    sign = (x < (T)(0)) & (x == whole) ? (I)(0) : sign;
    return (x == (T)(0)) & (AS_TYPE(x, I) < (I)(0)) ? (I)(-1) : sign;
}
