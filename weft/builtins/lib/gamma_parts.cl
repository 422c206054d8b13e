// The gamma function in double: Stirling's formula for z >= 6, reached by gamma(a) = gamma(a + k) / p with
// p = a (a + 1) ... (a + k - 1). Powers are kept as exponents of two, in sums of two doubles, until the end.
//! uses: pow_parts

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
