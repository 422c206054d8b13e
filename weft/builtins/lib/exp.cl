// exp, exp2, exp10: x = n * log(2) + r in units of the base, then the polynomial of r scaled by 2^n.
// Only if a lane's result is no normal number, the scaling takes care of that; whatever the steps before it made of
// arguments that are far too large then gives way to zero or infinity.
//! uses: exp_parts
//! types: floats
//! exp(T) exp2(T) exp10(T)
//! types: float
//! half_exp(T) half_exp2(T) half_exp10(T)

#if T_SIZE == 4
#define ORDINARY_EXP 87.0f
#define ORDINARY_EXP2 125.0f
#define ORDINARY_EXP10 37.0f
#define EXTREME_EXP 105.0f
#define EXTREME_EXP2 151.0f
#define EXTREME_EXP10 46.0f
#else
#define ORDINARY_EXP 708.0
#define ORDINARY_EXP2 1021.0
#define ORDINARY_EXP10 307.0
#define EXTREME_EXP 746.0
#define EXTREME_EXP2 1076.0
#define EXTREME_EXP10 326.0
#endif

// `result`, but 0 or infinity for x beyond `extreme`, where the result of each is that.
FN T weft_exp_or_extreme(T result, T x, T extreme, I rare) {
    if (RARELY(rare)) {
        result = x < -extreme ? (T)(0) : result;
        result = x > extreme ? (T)(INFINITE) : result;
    }
    return result;
}

FN T weft_exp(T x) {
    I n, rare = !(FABS(x) < (T)(ORDINARY_EXP));
#ifdef WEFT_TABLES
#if T_SIZE == 4
    // The float next to log(2) is nearly 2^-29 larger, so r lacks k * 2^-29. With k in units of 2^-28 that is half of k,
    // and added to the square, which is halved, it costs nothing.
    T k = weft_nearest_step(x, (T)(0x1.715476p+0f), (T)(0x1p-28f), &n);
    T r = MAD(k, (T)(-0x1.62e43p+27f), x);
    T q = MAD(MAD(r, r, k), POLY1(r, 0x1.00022p-1f, 0x1.555648p-3f), r);
#else
    T k = weft_nearest_step(x, (T)(0x1.71547652b82fep+0), &n);
    T r = MAD(k, (T)(-0x1.62e42fefa4p-1), x);
    r = MAD(k, (T)(0x1.8432a1b0e2634p-43), r);
    T q = MAD(r * r, SUM5(r, r * r, 0x1.000000000010dp-1, 0x1.5555555555267p-3, 0x1.55555548001f2p-5,
                          0x1.1111111f3803ep-7, 0x1.6c1cc00b60e40p-10, 0x1.a0186668906a2p-13), r);
#endif
    T result = weft_scale_by_steps(q, n, rare);
#else
    T result = weft_scale_near_one(weft_exp_parts_within(x, (T)(-0.0f), &n) + (T)(1), n, rare);
#endif
    return weft_exp_or_extreme(result, x, (T)(EXTREME_EXP), rare);
}

FN T weft_exp2(T x) {
    I n, rare = !(FABS(x) < (T)(ORDINARY_EXP2));
#ifdef WEFT_TABLES
    T k = weft_nearest_step(x, (T)(1), &n);
    T result = weft_scale_by_steps(weft_exp2_less_one(x - k), n, rare);
#else
    T k = weft_nearest_product(x, (T)(1), &n);
    T result = weft_scale_near_one(weft_exp2_reduced(x - k), n, rare);
#endif
    return weft_exp_or_extreme(result, x, (T)(EXTREME_EXP2), rare);
}

FN T weft_exp10(T x) {
    I n, rare = !(FABS(x) < (T)(ORDINARY_EXP10));
#if T_SIZE == 4
    T k = weft_nearest_product(x, (T)(0x1.a934fp+1f), &n);
    T r = MAD(k, (T)(-0x1.344p-2f), x);
    r = MAD(k, (T)(-0x1.3509f8p-18f), r);
    T p = POLY6(r, 1.0f, 0x1.26bb1cp+1f, 0x1.53524ap+1f, 0x1.046fc4p+1f, 0x1.2bda8cp+0f, 0x1.155632p-1f,
                0x1.a5a8dap-3f);
#else
    T k = weft_nearest_product(x, (T)(0x1.a934f0979a371p+1), &n);
    T r = MAD(k, (T)(-0x1.34413509f8p-2), x);
    r = MAD(k, (T)(0x1.80433b83b532ap-44), r);
    T p = POLY11(r, 1.0, 0x1.26bb1bbb55516p+1, 0x1.53524c73cea75p+1, 0x1.0470591de2c5fp+1, 0x1.2bd7609fd553ep+0,
                 0x1.1429ffd1ebc67p-1, 0x1.a7ed70a08600dp-3, 0x1.16e4df7448701p-4, 0x1.41166070db9f4p-6,
                 0x1.489895154b2a8p-8, 0x1.2f723775c756bp-10, 0x1.f9c2696d13bdep-13);
#endif
    return weft_exp_or_extreme(weft_scale_near_one(p, n, rare), x, (T)(EXTREME_EXP10), rare);
}
#undef ORDINARY_EXP
#undef ORDINARY_EXP2
#undef ORDINARY_EXP10
#undef EXTREME_EXP
#undef EXTREME_EXP2
#undef EXTREME_EXP10

#if T_SIZE == 4
FN T weft_half_exp(T x) { return weft_exp(x); }
FN T weft_half_exp2(T x) { return weft_exp2(x); }
FN T weft_half_exp10(T x) { return weft_exp10(x); }
#endif
