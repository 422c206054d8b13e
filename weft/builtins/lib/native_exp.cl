// native_exp: 2^(n / 16) from a table times a parabola, where the result is a normal number. Smaller ones are 0, and
// larger ones the largest power. The others are too little quicker that way.
//! uses: exp
//! types: float
//! native_exp(T) native_exp2(T) native_exp10(T)

#ifdef WEFT_TABLES
FN T weft_native_exp(T x) {
    I n;
    x = x > (T)(88.7f) ? (T)(88.7f) : x;
    T k = weft_nearest_step(x, (T)(0x1.715476p+0f), &n);
    T r = MAD(k, (T)(-0x1.62e43p-1f), x);
    T result = weft_scale_by_steps(r * POLY1(r, 0x1.0003d8p+0f, 0x1.00009ap-1f), n, (I)(0));
    return x < (T)(-87.3f) ? (T)(0) : result;
}
#else
FN T weft_native_exp(T x) { return weft_exp(x); }
#endif
FN T weft_native_exp2(T x) { return weft_exp2(x); }
FN T weft_native_exp10(T x) { return weft_exp10(x); }
