// exp, exp2, exp10: x = n * log(2) + r in units of the base, then the polynomial of r scaled by 2^n.
// Arguments are clamped to where the result is zero or infinite anyway; the scaling then makes it so.
//! uses: exp_parts
//! types: floats
//! exp(T) exp2(T) exp10(T)
//! types: float
//! native_exp(T) native_exp2(T) native_exp10(T) half_exp(T) half_exp2(T) half_exp10(T)

FN T weft_exp(T x) {
    I n;
    T p = weft_exp_parts(x, &n);
    return weft_scale_by_power(p + (T)(1), n);
}

FN T weft_exp2(T x) {
    I n;
#if T_SIZE == 4
    x = CLAMPED(x, -151.0f, 129.0f);
#else
    x = CLAMPED(x, -1076.0, 1025.0);
#endif
    T k = weft_nearest_product(x, (T)(1), &n);
    return weft_scale_by_power(weft_exp2_reduced(x - k), n);
}

FN T weft_exp10(T x) {
    I n;
#if T_SIZE == 4
    x = CLAMPED(x, -46.0f, 39.0f);
    T k = weft_nearest_product(x, (T)(0x1.a934fp+1f), &n);
    T r = MAD(k, (T)(-0x1.344p-2f), x);
    r = MAD(k, (T)(-0x1.3509f8p-18f), r);
    T p = POLY6(r, 1.0f, 0x1.26bb1cp+1f, 0x1.53524ap+1f, 0x1.046fc4p+1f, 0x1.2bda8cp+0f, 0x1.155632p-1f,
                0x1.a5a8dap-3f);
#else
    x = CLAMPED(x, -326.0, 310.0);
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
