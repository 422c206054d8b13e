// tgamma in double, with reflection for negative arguments.
//! uses: gamma_parts trigpi

FN T weft_tgamma_wide(T x) {
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
