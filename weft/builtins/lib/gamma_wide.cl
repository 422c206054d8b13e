// The gamma function in double: Stirling's formula for z >= 6, reached by gamma(a) = gamma(a + k) / p with
// p = a (a + 1) ... (a + k - 1), and reflection for negative arguments. Powers are kept as exponents of two, in
// sums of two doubles, until the end.
//! uses: pow_parts trigpi log

// For |x|: the exponent t + *t_low, the product p and Stirling's series; gamma(|x|) is 2^t * series / p.
FN T weft_gamma_parts(T x, __private T *t_low, __private T *p, __private T *series) {
    T a = FABS(x);
    T k = (T)(0);
    *p = (T)(1);
    for (int i = 0; i < 6; ++i) {
        I low = a + (T)(i) < (T)(6);
        *p = low ? *p * (a + (T)(i)) : *p;
        k = low ? k + (T)(1) : k;
    }
    T z = a + k;
    T lost = a - (z - k);
    T w = (T)(1) / z;
    T s = POLY11(w, 0x1.40d931ff62706p+1, 0x1.abcc42a9d897p-3, 0x1.1d32d71bd0348p-7, -0x1.b8792fb4a7302p-8,
                 -0x1.2d92566dce65cp-11, 0x1.019982adef02ap-9, 0x1.6cf6b6fe07cf7p-13, -0x1.82437136c70ap-10,
                 -0x1.ea4c649ea68aep-13, 0x1.6989ae481b67fp-9, -0x1.33474a314606cp-9, 0x1.228792149b6d2p-14);
    // (z - 1/2) log2(z) - z log2(e), and what the rounding of z lost times the derivative, log2(z) - 1/(2z).
    T tail, near;
    T head = weft_log2_for_pow(z, (I)(0), &tail, &near);
    T logarithm = head + tail;
    tail = (head - logarithm) + tail;
    T power = z - (T)(0.5), log2_e = (T)(0x1.71547652b82fep+0);
    T first = power * logarithm, second = z * log2_e;
    T t = first - second;
    T low = ((first - t) - second) + weft_product_error(power, logarithm, first) - weft_product_error(z, log2_e, second);
    low = low + MAD(power, tail, z * (T)(-0x1.777d0ffda0d24p-56)) + lost * (logarithm - w * (T)(0.5) * log2_e);
    // Far beyond the largest result the errors of products are no numbers.
    *t_low = z < (T)(0x1p900) ? low : (T)(0);
    *series = s;
    return t;
}

FN T weft_gamma_wide(T x) {
    T low, p, series;
    I negative = x < (T)(0);
    // Both ways the result is infinite or zero by then.
    T bounded = FABS(x) > (T)(300) ? (T)(300.25) : x;
    T t = weft_gamma_parts(bounded, &low, &p, &series);
    // Next to a pole a power below all normal numbers is brought back by what it is multiplied with.
    I deep = negative & (t > (T)(900));
    T exponent = negative ? -t : t;
    exponent = deep ? exponent + (T)(128) : exponent;
    low = negative ? -low : low;
    T power = weft_exp2_for_pow(exponent, low, exponent + low, (T)(1), weft_is_extreme(exponent));
    T a = FABS(x);
    T reflected = (T)(-0x1.921fb54442d18p+1) * (p / a) / (weft_sinpi(a) * series);
    T result = (negative ? reflected : series / p) * power;
    result = deep ? result * (T)(0x1p-128) : result;
    result = negative & (FABS(x) > (T)(300)) ? (T)(0) : result;
    result = negative & (x == __builtin_elementwise_trunc(x)) ? (T)(NOT_A_NUMBER) : result;
    // Next to zero the parts may be infinite where the result is not.
    result = a < (T)(0x1p-100) ? (T)(1) / x : result;
    return x != x ? x : result;
}

// With log(gamma(a)) = t - log(p / series), and pi / (|x| sin(pi |x|)) over that for negative x.
FN T weft_lgamma_wide(T x) {
    T low, p, series;
    // Where sums would be infinite before the result is, x is made smaller: x log(x) is 2^100 (y log(y) + y log(2^100)).
    I negative = x < (T)(0), huge = FABS(x) > (T)(0x1p900);
    T y = huge ? x * (T)(0x1p-100) : x, a = FABS(x);
    T t = weft_gamma_parts(y, &low, &p, &series);
    T sum = MAD(t, (T)(0x1.62e42fefa39efp-1), low * (T)(0x1.62e42fefa39efp-1));
    T reflected = series * FABS(weft_sinpi(a)) / ((T)(0x1.921fb54442d18p+1) * (p / a));
    T result = (negative ? -sum : sum) - weft_log(negative ? reflected : p / series);
    result = huge ? MAD(FABS(y), (T)(0x1.1542457337d43p+6), result) * (T)(0x1p100) : result;
    result = (x == (T)(1)) | (x == (T)(2)) ? (T)(0) : result;
    // Poles, and what lies beyond all numbers.
    I pole = (x <= (T)(0)) & (x == __builtin_elementwise_trunc(x));
    result = pole | (a == (T)(INFINITE)) ? (T)(INFINITE) : result;
    return x != x ? x : result;
}
