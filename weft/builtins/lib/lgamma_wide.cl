// lgamma in double, with reflection for negative arguments: log(gamma(a)) = t - log(p / series), and
// pi / (|x| sin(pi |x|)) over that for negative x.
//! uses: gamma_parts trigpi log

FN T weft_lgamma_wide(T x) {
    T low, p, series;
    // Where sums would be infinite before the result is, x is made smaller: x log(x) is 2^100 (y log(y) + y log(2^100)).
    I negative = x < (T)(0), huge = FABS(x) > (T)(0x1p900);
    T y = huge ? x * (T)(0x1p-100) : x, a = FABS(x);
    T t = weft_gamma_parts(y, &low, &p, &series);
    T sum = MAD(t, (T)(0x1.62e42fefa39efp-1), low * (T)(0x1.62e42fefa39efp-1));
    T reflected = series * FABS(weft_sinpi(a)) / ((T)(0x1.921fb54442d18p+1) * (p / a));
    // Next to zero gamma is 1 / x, where the parts may be too small.
    I tiny = a < (T)(0x1p-60);
    sum = tiny ? (T)(0) : negative ? -sum : sum;
    T result = sum - weft_log(tiny ? a : negative ? reflected : p / series);
    result = huge ? MAD(FABS(y), (T)(0x1.1542457337d43p+6), result) * (T)(0x1p100) : result;
    result = (x == (T)(1)) | (x == (T)(2)) ? (T)(0) : result;
    // Poles, and what lies beyond all numbers.
    I pole = (x <= (T)(0)) & (x == __builtin_elementwise_trunc(x));
    result = pole | (a == (T)(INFINITE)) ? (T)(INFINITE) : result;
    return x != x ? x : result;
}
