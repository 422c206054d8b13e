// exp, exp2, exp10: x = n * log(2) + r in units of the base, then the polynomial of r scaled by 2^n.
// Arguments are clamped to where the result is zero or infinite anyway; the scaling then makes it so.
//! uses: exponent
//! types: floats
//! exp(T) exp2(T) exp10(T)
//! types: float
//! native_exp(T) native_exp2(T) native_exp10(T) half_exp(T) half_exp2(T) half_exp10(T)

// NaN stays NaN.
#define CLAMP(x, low, high) ((x) < (T)(low) ? (T)(low) : (x) > (T)(high) ? (T)(high) : (x))

FN T weft_exp(T x) {
    I n;
#if T_SIZE == 4
    x = CLAMP(x, -105.0f, 90.0f);
    T k = weft_nearest_product(x, (T)(0x1.715476p+0f), &n);
    T r = MAD(k, (T)(-0x1.62e4p-1f), x);
    r = MAD(k, (T)(-0x1.7f7d1cp-20f), r);
    T q = POLY4(r, 0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558f2p-5f, 0x1.1239e6p-7f, 0x1.6a241ep-10f);
#else
    x = CLAMP(x, -746.0, 710.0);
    T k = weft_nearest_product(x, (T)(0x1.71547652b82fep+0), &n);
    T r = MAD(k, (T)(-0x1.62e42fefa4p-1), x);
    r = MAD(k, (T)(0x1.8432a1b0e2634p-43), r);
    T q = POLY9(r, 0x1.000000000000ap-1, 0x1.55555555554fap-3, 0x1.5555555550877p-5, 0x1.1111111127be4p-7,
                0x1.6c16c1842b185p-10, 0x1.a01a012a5b679p-13, 0x1.a0199a09ec9bep-16, 0x1.71df2544cf5cdp-19,
                0x1.28ad74df00a0dp-22, 0x1.ad7f8a1f075e3p-26);
#endif
    return weft_scale_by_power(MAD(r * r, q, r) + (T)(1), n);
}

FN T weft_exp2(T x) {
    I n;
#if T_SIZE == 4
    x = CLAMP(x, -151.0f, 129.0f);
#else
    x = CLAMP(x, -1076.0, 1025.0);
#endif
    T k = weft_nearest_product(x, (T)(1), &n);
    return weft_scale_by_power(weft_exp2_reduced(x - k), n);
}

FN T weft_exp10(T x) {
    I n;
#if T_SIZE == 4
    x = CLAMP(x, -46.0f, 39.0f);
    T k = weft_nearest_product(x, (T)(0x1.a934fp+1f), &n);
    T r = MAD(k, (T)(-0x1.344p-2f), x);
    r = MAD(k, (T)(-0x1.3509f8p-18f), r);
    T p = POLY6(r, 1.0f, 0x1.26bb1cp+1f, 0x1.53524ap+1f, 0x1.046fc4p+1f, 0x1.2bda8cp+0f, 0x1.155632p-1f,
                0x1.a5a8dap-3f);
#else
    x = CLAMP(x, -326.0, 310.0);
    T k = weft_nearest_product(x, (T)(0x1.a934f0979a371p+1), &n);
    T r = MAD(k, (T)(-0x1.34413509f8p-2), x);
    r = MAD(k, (T)(0x1.80433b83b532ap-44), r);
    T p = POLY11(r, 1.0, 0x1.26bb1bbb55516p+1, 0x1.53524c73cea75p+1, 0x1.0470591de2c5fp+1, 0x1.2bd7609fd553ep+0,
                 0x1.1429ffd1ebc67p-1, 0x1.a7ed70a08600dp-3, 0x1.16e4df7448701p-4, 0x1.41166070db9f4p-6,
                 0x1.489895154b2a8p-8, 0x1.2f723775c756bp-10, 0x1.f9c2696d13bdep-13);
#endif
    return weft_scale_by_power(p, n);
}

#if T_SIZE == 4
FN T weft_native_exp(T x) { return weft_exp(x); }
FN T weft_native_exp2(T x) { return weft_exp2(x); }
FN T weft_native_exp10(T x) { return weft_exp10(x); }
FN T weft_half_exp(T x) { return weft_exp(x); }
FN T weft_half_exp2(T x) { return weft_exp2(x); }
FN T weft_half_exp10(T x) { return weft_exp10(x); }
#endif
#undef CLAMP
