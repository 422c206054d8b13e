// atan and atan2: a ratio of at most one, brought below tan(pi/8) by the tangent's addition theorem.
//! types: floats
//! atan(T) atan2(T, T) atanpi(T) atan2pi(T, T)

#if T_SIZE == 4
#define PI_4 0x1.921fb6p-1f
#define PI_4_LOW -0x1.777a5cp-26f
#define ONE_OVER_PI 0x1.45f306p-2f
#define TOO_LARGE 0x1p120f
#define TOO_SMALL 0x1p-100f
#define SHRINK 0x1p-20f
#define GROW 0x1p26f
#else
#define PI_4 0x1.921fb54442d18p-1
#define PI_4_LOW 0x1.1a62633145c07p-55
#define ONE_OVER_PI 0x1.45f306dc9c883p-2
#define TOO_LARGE 0x1p1000
#define TOO_SMALL 0x1p-900
#define SHRINK 0x1p-100
#define GROW 0x1p200
#endif

// quadrant_part + sign * atan(a / b) for 0 <= a <= b, where the part is the sum of `base` and `base_low`.
FN T weft_atan_ratio(T a, T b, T base, T base_low, I subtract) {
    I steep = a > b * (T)(0.41421356f);
    T numerator = steep ? a - b : a, denominator = steep ? a + b : b;
    T z = numerator / denominator;
    T square = z * z;
#if T_SIZE == 4
    T p = POLY4(square, -0x1.55554ap-2f, 0x1.999196p-3f, -0x1.23b51cp-3f, 0x1.b1ebccp-4f, -0x1.f1eb9cp-5f);
#else
    T p = POLY10(square, -0x1.555555555553dp-2, 0x1.99999999957c7p-3, -0x1.24924922aa289p-3, 0x1.c71c70e4ffb2cp-4,
                 -0x1.745cf8c1d2851p-4, 0x1.3b111778306a8p-4, -0x1.10eba77fcc38fp-4, 0x1.df0e6d835fb8dp-5,
                 -0x1.9ccf2afa349e9p-5, 0x1.37cd4ad2580c8p-5, -0x1.25596c5d272e4p-6);
#endif
    // All multiples of pi/4 here are exact sums of their parts' multiples.
    T part = steep ? (T)(PI_4) : (T)(0), part_low = steep ? (T)(PI_4_LOW) : (T)(0);
    part = subtract ? base - part : base + part;
    part_low = subtract ? base_low - part_low : base_low + part_low;
    z = subtract ? -z : z;
    return part + (MAD(z * square, p, part_low) + z);
}

FN T weft_atan(T x) {
    T magnitude = FABS(x);
    I large = magnitude > (T)(1);
    T a = large ? (T)(1) : magnitude, b = large ? magnitude : (T)(1);
    T base = large ? (T)(2 * PI_4) : (T)(0), base_low = large ? (T)(2 * PI_4_LOW) : (T)(0);
    T result = weft_atan_ratio(a, b, base, base_low, large);
    result = magnitude < (T)(INFINITE) ? result : (T)(2 * PI_4);
    return (x == (T)(0)) | (x != x) ? x : COPYSIGN(result, x);
}

FN T weft_atan2(T y, T x) {
    T ax = FABS(x), ay = FABS(y);
    I swap = ay > ax;
    T a = swap ? ax : ay, b = swap ? ay : ax;
    I rare = !((b >= (T)(TOO_SMALL)) & (b <= (T)(TOO_LARGE)));
    if (RARELY(rare)) {
        // Infinite lengths count as one and all else beside them as nothing.
        I infinite = b == (T)(INFINITE);
        a = infinite ? (a == (T)(INFINITE) ? (T)(1) : (T)(0)) : a;
        b = infinite ? (T)(1) : b;
        T scale = b > (T)(TOO_LARGE) ? (T)(SHRINK) : b < (T)(TOO_SMALL) ? (T)(GROW) : (T)(1);
        a *= scale;
        b = b == (T)(0) ? (T)(1) : b * scale;
    }
    // The angle from the nearest axis, taken from or added to that axis' own.
    I left = AS_TYPE(x, I) < (I)(0);
    T base = swap ? (T)(2 * PI_4) : left ? (T)(4 * PI_4) : (T)(0);
    T base_low = swap ? (T)(2 * PI_4_LOW) : left ? (T)(4 * PI_4_LOW) : (T)(0);
    T result = COPYSIGN(weft_atan_ratio(a, b, base, base_low, MASK(swap) ^ MASK(left)), y);
    if (RARELY(rare))
        result = (x != x) | (y != y) ? x + y : result;
    return result;
}

FN T weft_atanpi(T x) { return weft_atan(x) * (T)(ONE_OVER_PI); }
FN T weft_atan2pi(T y, T x) { return weft_atan2(y, x) * (T)(ONE_OVER_PI); }
#undef PI_4
#undef PI_4_LOW
#undef ONE_OVER_PI
#undef TOO_LARGE
#undef TOO_SMALL
#undef SHRINK
#undef GROW
