// Powers of two as exponents: scaling and splitting numbers, and 2^r for |r| <= 1/2.

#if T_SIZE == 4
#define BIAS 127
#define MANTISSA_BITS 23
#define MAGIC 0x1.8p23f
#define LEAST 0x1p-126f
#else
#define BIAS 1023
#define MANTISSA_BITS 52
#define MAGIC 0x1.8p52
#define LEAST 0x1p-1022
#endif

// x * 2^n with one rounding, for |n| below twice the largest exponent.
FN T weft_scale_by_power(T x, I n) {
    U both = AS_TYPE(n + (I)(2 * BIAS), U);
    U half_n = both >> (U)(1);
    T first = AS_TYPE(half_n << (U)(MANTISSA_BITS), T);
    T second = AS_TYPE((both - half_n) << (U)(MANTISSA_BITS), T);
    return x * first * second;
}

// The same unless a lane is `rare`, for x near one and results that are normal numbers: n goes to the exponent.
FN T weft_scale_near_one(T x, I n, I rare) {
    T result = AS_TYPE(AS_TYPE(x, I) + (n << (I)(MANTISSA_BITS)), T);
    if (RARELY(rare))
        result = weft_scale_by_power(x, n);
    return result;
}

// The nearest integer to a * b, as a number and as an integer; it has to be small.
FN T weft_nearest_product(T a, T b, __private I *n) {
    T shifted = MAD(a, b, (T)(MAGIC));
    *n = AS_TYPE(shifted, I) - AS_TYPE((T)(MAGIC), I);
    return shifted - (T)(MAGIC);
}

// A small integer n as a number, less what `base` has more than MAGIC. Without AVX-512 there is no conversion from 64
// bits, but an addition does it.
FN T weft_small_integer(I n, T base) { return AS_TYPE(n + AS_TYPE((T)(MAGIC), I), T) - base; }

FN T weft_exp2_reduced(T r) {
#if T_SIZE == 4
    return POLY6(r, 1.0f, 0x1.62e43p-1f, 0x1.ebfbdcp-3f, 0x1.c6af88p-5f, 0x1.3b2e0cp-7f, 0x1.5f03e2p-10f,
                 0x1.414ebcp-13f);
#else
    return POLY11(r, 1.0, 0x1.62e42fefa39efp-1, 0x1.ebfbdff82c5a1p-3, 0x1.c6b08d704a046p-5, 0x1.3b2ab6fba0789p-7,
                  0x1.5d87fe78c3752p-10, 0x1.4309130dc725ep-13, 0x1.ffcbfbc7ca0c9p-17, 0x1.62bfc9f1402a0p-20,
                  0x1.b52652cdb45f4p-24, 0x1.e617bbd42a51ep-28, 0x1.e7c6fa0a06943p-32);
#endif
}

#ifdef WEFT_TABLES
// Powers of two in steps of less than one, by tables that fit into a register: sixteenths for float, eighths for
// double. The polynomials are short then.
#if T_SIZE == 4
#define STEP_BITS 4
#define STEP_MAGIC 0x1.8p19f
#else
#define STEP_BITS 3
#define STEP_MAGIC 0x1.8p49
#endif

// The nearest whole number of steps to a * b, as a number in the unit given, a power of two, and in steps; it has to be
// small.
FN T weft_nearest_step(T a, T b, T unit, __private I *n) {
    T magic = (T)(STEP_MAGIC) * unit;
    T shifted = MAD(a, b * unit, magic);
    *n = AS_TYPE(shifted, I) - AS_TYPE(magic, I);
    return shifted - magic;
}

FN T weft_nearest_step(T a, T b, __private I *n) { return weft_nearest_step(a, b, (T)(1), n); }

// (1 + q) * 2^(n / steps) for a small q, where lanes whose result may be no normal number are `rare`.
FN T weft_scale_by_steps(T q, I n, I rare) {
    // Each power less what its number adds to it below the exponent.
#if T_SIZE == 4
    TABLE(int, 16, table) = {0x3f800000, 0x3f7daac3, 0x3f7b95c2, 0x3f79c3d3, 0x3f7837f0, 0x3f76f532, 0x3f75fed7, 0x3f75583f,
                   0x3f7504f3, 0x3f7508a4, 0x3f75672a, 0x3f76248c, 0x3f7744fd, 0x3f78ccdf, 0x3f7ac0c7, 0x3f7d257d};
#else
    TABLE(long, 8, table) = {0x3ff0000000000000, 0x3fef72b83c7d517b, 0x3fef06fe0a31b715, 0x3feebfdad5362a27,
                   0x3feea09e667f3bcd, 0x3feeace5422aa0db, 0x3feee89f995ad3ad, 0x3fef5818dcfba487};
#endif
    I base;
    PICK(base, table, n);
    I bits = base + (n << (I)(MANTISSA_BITS - STEP_BITS));
    T scale = AS_TYPE(bits, T);
    T result = MAD(scale, q, scale);
    if (RARELY(rare)) {
        I whole = n >> (I)(STEP_BITS);
        T near = AS_TYPE(bits - (whole << (I)(MANTISSA_BITS)), T);
        result = weft_scale_by_power(MAD(near, q, near), whole);
    }
    return result;
}

// 2^r - 1 for r up to half a step.
FN T weft_exp2_less_one(T r) {
#if T_SIZE == 4
    return r * POLY2(r, 0x1.62e43p-1f, 0x1.ebfff4p-3f, 0x1.c6b1d2p-5f);
#else
    return r * SUM6(r, r * r, 0x1.62e42fefa39efp-1, 0x1.ebfbdff82c794p-3, 0x1.c6b08d7049cd8p-5, 0x1.3b2ab6ef55591p-7,
                    0x1.5d87fe8ac3e6ep-10, 0x1.430e648dc3defp-13, 0x1.ffca028e9c164p-17);
#endif
}
#endif

// x = m * 2^e with m from `least`, given by its bits, to twice that, for positive normal x; *place holds the bits by
// which m is beyond `least`.
FN T weft_split_normal(T x, I least, __private I *e, __private U *place) {
    U positive = AS_TYPE(AS_TYPE(x, I) - least + (I)((I1)1 << (T_SIZE * 8 - 2)), U);
    *e = AS_TYPE(positive >> (U)(MANTISSA_BITS), I) - (I)((I1)1 << (T_SIZE * 8 - 2 - MANTISSA_BITS));
    *place = positive & (U)(((U1)1 << MANTISSA_BITS) - 1);
    return AS_TYPE(AS_TYPE(*place, I) + least, T);
}

// The same with sqrt(1/2) <= m < sqrt(2).
FN T weft_split_normal(T x, __private I *e) {
    U place;
    return weft_split_normal(x, T_SIZE == 4 ? (I)(0x3f3504f3) : (I)((I1)0x3fe6a09e667f3bcdL), e, &place);
}

// Whether x is anything but a positive normal number, as its bits tell.
FN I weft_is_rare(T x) {
    U least = AS_TYPE((T)(LEAST), U);
    return AS_TYPE(x, U) - least >= AS_TYPE((T)(INFINITE), U) - least;
}

// x * 2^n: subnormal numbers are made normal. Unless a lane is rare, nothing is done. *base is what makes a number of
// the result's exponent that is n less.
FN T weft_make_normal(T x, I rare, __private T *base) {
    *base = (T)(MAGIC);
    if (RARELY(rare)) {
        I subnormal = x < (T)(LEAST);
        x = subnormal ? x * (T)((U1)1 << (MANTISSA_BITS + 2)) : x;
        *base = subnormal ? (T)(MAGIC) + (T)(MANTISSA_BITS + 2) : *base;
    }
    return x;
}
#undef LEAST
#undef BIAS
#undef MANTISSA_BITS
#undef MAGIC
#undef STEP_BITS
#undef STEP_MAGIC
