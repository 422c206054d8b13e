// Reduction of an angle: x = quadrant * pi/2 + r with |r| <= pi/4, for every x; NaN for infinities.
// Angles up to LIMIT lose their multiples of pi/2, given in parts, by fused operations (Cody and Waite).
// Only if a lane is larger, all lanes take the exact way (Payne and Hanek): the bits of 2/pi that decide the
// fraction of x * 2/pi, times the integer x is made of.
//! uses: two_over_pi long_products:ulong

#if T_SIZE == 4

#ifdef FP_FAST_FMA
#define LIMIT 0x1p17f
FN T weft_reduce_small(T x, __private I *quadrant) {
    T magic = (T)(0x1.8p23f);  // the sum's lowest bits are the nearest integer
    T shifted = FMA(x, (T)(0x1.45f306p-1f), magic);
    T n = shifted - magic;
    *quadrant = AS_TYPE(shifted, I);
    T r = FMA(n, (T)(-0x1.921fb4p+0f), x);
    r = FMA(n, (T)(-0x1.4442d0p-24f), r);
    return FMA(n, (T)(-0x1.846988p-48f), r);
}
#else
#define LIMIT 0x1p19f
FN T weft_reduce_small(T x, __private I *quadrant) {
    VEC(double) wide = CONVERT(x, VEC(double)), magic = (VEC(double))(0x1.8p52);
    VEC(double) shifted = wide * (VEC(double))(0x1.45f306dc9c883p-1) + magic;
    VEC(double) n = shifted - magic;
    *quadrant = CONVERT(AS_TYPE(shifted, VEC(long)), I);
    // The product with the first part, of 33 bits, is exact.
    VEC(double) r = wide - n * (VEC(double))(0x1.921fb544p+0);
    return CONVERT(r - n * (VEC(double))(0x1.0b4611a626331p-34), T);
}
#endif

FN T weft_reduce_large(T x, __private I *quadrant) {
    U bits = AS_TYPE(x, U) & (U)(0x7fffffff);
    VEC(ulong) mantissa = CONVERT((bits & (U)(0x007fffff)) | (U)(0x00800000), VEC(ulong));
    // x = mantissa * 2^e. Bits of 2/pi whose product with x is a multiple of 4 are skipped.
    U start = (bits >> (U)(23)) - (U)(150 - 62);
    // Lanes that are not large are not used, but look up too.
    U word = __builtin_elementwise_min(start >> (U)(6), (U)(16));
    VEC(ulong) shift = CONVERT(start & (U)(63), VEC(ulong));
    VEC(ulong) a, b, c;
    LOOKUP(a, weft_two_over_pi, word);
    LOOKUP(b, weft_two_over_pi, word + (U)(1));
    LOOKUP(c, weft_two_over_pi, word + (U)(2));
    VEC(ulong) high = __builtin_elementwise_fshl(a, b, shift);
    VEC(ulong) low = __builtin_elementwise_fshl(b, c, shift);
    // Two bits of quadrant, then the fraction.
    VEC(ulong) product = mantissa * high + ((mantissa * (low >> (VEC(ulong))(32))) >> (VEC(ulong))(32));
    VEC(ulong) n = (product + (VEC(ulong))(1UL << 61)) >> (VEC(ulong))(62);
    VEC(long) fraction = AS_TYPE(product << (VEC(ulong))(2), VEC(long));
    T r = CONVERT(CONVERT(fraction, VEC(double)) * (VEC(double))(0x1.921fb54442d18p-64), T);
    I negative = AS_TYPE(x, I) >> (I)(31);
    *quadrant = (CONVERT(n, I) ^ negative) - negative;
    r = AS_TYPE(AS_TYPE(r, U) ^ (AS_TYPE(x, U) & (U)(0x80000000)), T);
    return r + (x - x);
}

#else

#ifdef FP_FAST_FMA
#define LIMIT 0x1p30
#else
#define LIMIT 0x1p20
#endif
FN T weft_reduce_small(T x, __private I *quadrant) {
    T magic = (T)(0x1.8p52);  // the sum's lowest bits are the nearest integer
    T shifted = MAD(x, (T)(0x1.45f306dc9c883p-1), magic);
    T n = shifted - magic;
    *quadrant = AS_TYPE(shifted, I);
#ifdef FP_FAST_FMA
    T r = FMA(n, (T)(-0x1.921fb54442d18p+0), x);
    r = FMA(n, (T)(-0x1.1a62633145c06p-54), r);
    return FMA(n, (T)(-0x1.c1cd129024e08p-107), r);
#else
    // The products with the first two parts, of 33 bits each, are exact.
    T r = x - n * (T)(0x1.921fb544p+0);
    r = r - n * (T)(0x1.0b4611a6p-34);
    return r - n * (T)(0x1.3198a2e037073p-69);
#endif
}

FN T weft_reduce_large(T x, __private I *quadrant) {
    U bits = AS_TYPE(x, U) & (U)(0x7fffffffffffffffUL);
    U mantissa = (bits & (U)(0x000fffffffffffffUL)) | (U)(0x0010000000000000UL);
    // x = mantissa * 2^e. Bits of 2/pi whose product with x is a multiple of 4 are skipped.
    U start = (bits >> (U)(52)) - (U)(1075 - 62);
    // Lanes that are not large are not used, but look up too.
    U word = __builtin_elementwise_min(start >> (U)(6), (U)(16)), shift = start & (U)(63);
    U a, b, c, d;
    LOOKUP(a, weft_two_over_pi, word);
    LOOKUP(b, weft_two_over_pi, word + (U)(1));
    LOOKUP(c, weft_two_over_pi, word + (U)(2));
    LOOKUP(d, weft_two_over_pi, word + (U)(3));
    U first = __builtin_elementwise_fshl(a, b, shift);
    U second = __builtin_elementwise_fshl(b, c, shift);
    U third = __builtin_elementwise_fshl(c, d, shift);
    // The upper 128 of 192 bits of the product: two bits of quadrant, then the fraction.
    U partial = mantissa * second;
    U low = partial + weft_mul_hi(mantissa, third);
    U high = mantissa * first + weft_mul_hi(mantissa, second) + (low < partial ? (U)(1) : (U)(0));
    U n = (high + (U)(1UL << 61)) >> (U)(62);
    I upper = AS_TYPE((high << (U)(2)) | (low >> (U)(62)), I);
    U lower = low << (U)(2);
    // The signed fraction as the sum of two doubles, each of its words being exact in two halves.
    U half_word = (U)(0xffffffffUL);
    T p = CONVERT(upper >> (I)(32), T) * (T)(0x1p-32);
    T q = CONVERT(AS_TYPE(upper, U) & half_word, T) * (T)(0x1p-64);
    T rest = CONVERT(lower >> (U)(32), T) * (T)(0x1p-96) + CONVERT(lower & half_word, T) * (T)(0x1p-128);
    T sum = p + q;
    rest = ((p - sum) + q) + rest;
    T head = sum + rest, tail = (sum - head) + rest;
    T r = MAD(head, (T)(0x1.921fb54442d18p+0), head * (T)(0x1.1a62633145c07p-54) + tail * (T)(0x1.921fb54442d18p+0));
    I negative = AS_TYPE(x, I) >> (I)(63);
    *quadrant = (AS_TYPE(n, I) ^ negative) - negative;
    r = AS_TYPE(AS_TYPE(r, U) ^ (AS_TYPE(x, U) & (U)(0x8000000000000000UL)), T);
    return r + (x - x);
}

#endif

FN T weft_reduce(T x, __private I *quadrant) {
    T r = weft_reduce_small(x, quadrant);
    I is_large = FABS(x) > (T)(LIMIT);
    if (RARELY(is_large)) {
        I other;
        T exact = weft_reduce_large(x, &other);
        r = is_large ? exact : r;
        *quadrant = is_large ? other : *quadrant;
    }
    return r;
}

// For angles of ordinary size only: beyond them some number in range comes out, but no branch is needed.
FN T weft_reduce_relaxed(T x, __private I *quadrant) {
    T r = weft_reduce_small(x, quadrant);
    return FABS(x) > (T)(LIMIT) ? x - x : r;
}
#undef LIMIT
