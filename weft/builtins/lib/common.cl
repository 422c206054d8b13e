// Functions on floating-point numbers that come down to a few instructions.
//! open
//! types: floats
//! fabs(T) fma(T, T, T) mad(T, T, T) copysign(T, T) sign(T) degrees(T) radians(T)
//! floor(T) ceil(T) trunc(T) rint(T) round(T) sqrt(T)
//! min(T, T) min(T, T1) max(T, T) max(T, T1) fmin(T, T) fmin(T, T1) fmax(T, T) fmax(T, T1)
//! clamp(T, T, T) clamp(T, T1, T1) mix(T, T, T) mix(T, T, T1)
//! step(T, T) step(T1, T) smoothstep(T, T, T) smoothstep(T1, T1, T)
//! fdim(T, T) maxmag(T, T) minmag(T, T)

FN T weft_fabs(T x) { return FABS(x); }
FN T weft_fma(T a, T b, T c) { return FMA(a, b, c); }
FN T weft_mad(T a, T b, T c) { return MAD(a, b, c); }
FN T weft_copysign(T x, T y) { return COPYSIGN(x, y); }
FN T weft_floor(T x) { return __builtin_elementwise_floor(x); }
FN T weft_ceil(T x) { return __builtin_elementwise_ceil(x); }
FN T weft_trunc(T x) { return __builtin_elementwise_trunc(x); }
FN T weft_rint(T x) { return RINT(x); }
FN T weft_sqrt(T x) { return SQRT(x); }

// Halfway cases go away from zero. Adding the largest number below one half cannot carry past an integer.
FN T weft_round(T x) {
    T almost_half = T_SIZE == 4 ? (T)(0x1.fffffep-2f) : (T)(0x1.fffffffffffffp-2);
    return COPYSIGN(__builtin_elementwise_trunc(FABS(x) + almost_half), x);
}

// 1, -1, or x itself for zeros; 0 for NaN.
FN T weft_sign(T x) {
    T magnitude = x == (T)(0) ? (T)(0) : (T)(1);
    return x != x ? (T)(0) : COPYSIGN(magnitude, x);
}

FN T weft_degrees(T x) { return x * (T)(57.295779513082320876798); }
FN T weft_radians(T x) { return x * (T)(0.017453292519943295769237); }

FN T weft_min(T x, T y) { return y < x ? y : x; }
FN T weft_max(T x, T y) { return x < y ? y : x; }
FN T weft_fmin(T x, T y) { return __builtin_elementwise_minnum(x, y); }
FN T weft_fmax(T x, T y) { return __builtin_elementwise_maxnum(x, y); }
FN T weft_clamp(T x, T low, T high) { return weft_min(weft_max(x, low), high); }
FN T weft_mix(T x, T y, T a) { return MAD(y - x, a, x); }
FN T weft_step(T edge, T x) { return x < edge ? (T)(0) : (T)(1); }
FN T weft_smoothstep(T low, T high, T x) {
    T t = weft_clamp((x - low) / (high - low), (T)(0), (T)(1));
    return t * t * ((T)(3) - (T)(2) * t);
}
#if N > 1
FN T weft_min(T x, T1 y) { return weft_min(x, (T)(y)); }
FN T weft_max(T x, T1 y) { return weft_max(x, (T)(y)); }
FN T weft_fmin(T x, T1 y) { return weft_fmin(x, (T)(y)); }
FN T weft_fmax(T x, T1 y) { return weft_fmax(x, (T)(y)); }
FN T weft_clamp(T x, T1 low, T1 high) { return weft_clamp(x, (T)(low), (T)(high)); }
FN T weft_mix(T x, T y, T1 a) { return weft_mix(x, y, (T)(a)); }
FN T weft_step(T1 edge, T x) { return weft_step((T)(edge), x); }
FN T weft_smoothstep(T1 low, T1 high, T x) { return weft_smoothstep((T)(low), (T)(high), x); }
#endif

// x - y if that is positive, else +0; NaN if either is.
FN T weft_fdim(T x, T y) { return x <= y ? (T)(0) : x - y; }
FN T weft_maxmag(T x, T y) {
    T other = FABS(y) > FABS(x) ? y : weft_fmax(x, y);
    return FABS(x) > FABS(y) ? x : other;
}
FN T weft_minmag(T x, T y) {
    T other = FABS(y) < FABS(x) ? y : weft_fmin(x, y);
    return FABS(x) < FABS(y) ? x : other;
}
