// Geometric functions. Lengths scale by a power of two first where squares could overflow or underflow.
//! open
//! not lane by lane
//! uses: power_scale
//! types: floats
//! widths: 1 2 3 4
//! dot(T, T) length(T) distance(T, T) normalize(T)
//! types: float
//! widths: 1 2 3 4
//! fast_length(T) fast_distance(T, T) fast_normalize(T)

#if N == 1
FN T1 weft_sum(T x) { return x; }
FN T1 weft_largest(T x) { return x; }
#elif N == 2
FN T1 weft_sum(T x) { return x.x + x.y; }
FN T1 weft_largest(T x) { return __builtin_elementwise_maxnum(x.x, x.y); }
#elif N == 3
FN T1 weft_sum(T x) { return x.x + x.y + x.z; }
FN T1 weft_largest(T x) { return __builtin_elementwise_maxnum(__builtin_elementwise_maxnum(x.x, x.y), x.z); }
#else
FN T1 weft_sum(T x) { return (x.x + x.y) + (x.z + x.w); }
FN T1 weft_largest(T x) {
    return __builtin_elementwise_maxnum(__builtin_elementwise_maxnum(x.x, x.y),
                                        __builtin_elementwise_maxnum(x.z, x.w));
}
#endif

FN T1 weft_dot(T x, T y) { return weft_sum(x * y); }

#if T_SIZE == 4
// In double neither the squares of floats nor their sum can overflow or lose anything that matters.
FN float weft_length(T x) {
    VEC(double) wide = CONVERT(x, VEC(double));
#if N == 1
    return FABS(x);
#else
    VEC(double) squares = wide * wide;
#if N == 2
    double sum = squares.x + squares.y;
#elif N == 3
    double sum = squares.x + squares.y + squares.z;
#else
    double sum = (squares.x + squares.y) + (squares.z + squares.w);
#endif
    return (float)SQRT(sum);
#endif
}
FN T weft_normalize(T x) {
    // An infinite component leaves only the infinite ones, as unit steps.
    T infinite = COPYSIGN(FABS(x) == (T)(__builtin_inff()) ? (T)(1) : (T)(0), x);
    x = weft_largest(FABS(x)) == __builtin_inff() ? infinite : x;
    VEC(double) wide = CONVERT(x, VEC(double));
#if N == 1
    double sum = wide * wide;
#elif N == 2
    double sum = wide.x * wide.x + wide.y * wide.y;
#elif N == 3
    double sum = wide.x * wide.x + wide.y * wide.y + wide.z * wide.z;
#else
    double sum = (wide.x * wide.x + wide.y * wide.y) + (wide.z * wide.z + wide.w * wide.w);
#endif
    return sum == 0.0 ? x : CONVERT(wide / (VEC(double))(SQRT(sum)), T);
}
FN float weft_fast_length(T x) { return SQRT(weft_dot(x, x)); }
FN float weft_fast_distance(T x, T y) { return weft_fast_length(x - y); }
FN T weft_fast_normalize(T x) {
    float square = weft_dot(x, x);
    return square == 0.0f ? x : x / (T)(SQRT(square));
}
#else
FN double weft_length(T x) {
#if N == 1
    return FABS(x);
#else
    double largest = weft_largest(FABS(x));
    double scale = weft_scale(largest);
    T scaled = x * (T)(scale);
    double length = SQRT(weft_dot(scaled, scaled)) / scale;
    return largest == __builtin_inf() ? largest : length;
#endif
}
FN T weft_normalize(T x) {
    T infinite = COPYSIGN(FABS(x) == (T)(__builtin_inf()) ? (T)(1) : (T)(0), x);
    double largest = weft_largest(FABS(x));
    x = largest == __builtin_inf() ? infinite : x;
    T scaled = x * (T)(largest == __builtin_inf() ? 1.0 : weft_scale(largest));
    double square = weft_dot(scaled, scaled);
    return square == 0.0 ? x : scaled / (T)(SQRT(square));
}
#endif
FN T1 weft_distance(T x, T y) { return weft_length(x - y); }
