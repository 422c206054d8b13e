// What powers are made of: log2(x) as a sum of two numbers, and 2 to the power of such a sum.
// log2(x) = n + log2(c) + log2((1+s)/(1-s)) with s = (m-c)/(m+c), x = m * 2^n, and c next to m.
//! uses: exponent

#if T_SIZE == 4
#define MOST 200.0f
#define ORDINARY 120.0f
#define SPLIT 0x1.002p+12f
// 2 / log(2)
#define FACTOR 0x1.715476p+1f
#define FACTOR_LOW 0x1.4ae0cp-25f
#else
#define MOST 1200.0
#define ORDINARY 1000.0
#define SPLIT 0x1.0000002p+27
#define FACTOR 0x1.71547652b82fep+1
#define FACTOR_LOW 0x1.777d0ffda0d24p-55
#endif

// The rounding error of the product p = a * b.
FN T weft_product_error(T a, T b, T p) {
#ifdef FP_FAST_FMA
    return FMA(a, b, -p);
#else
    T ca = a * (T)(SPLIT), cb = b * (T)(SPLIT);
    T ah = ca - (ca - a), bh = cb - (cb - b);
    T al = a - ah, bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
#endif
}

// log2|x| as the sum of the result and *tail, at most a hundredth of it, for finite x other than 0; *near is that sum
// as one number. If a lane is `rare`, x is not positive and normal in all of them.
FN T weft_log2_for_pow(T x, I rare, __private T *tail, __private T *near) {
    I e;
    T base;
    if (RARELY(rare))
        x = FABS(x);
    x = weft_make_normal(x, rare, &base);
#if T_SIZE == 4
    T m = weft_split_normal(x, &e);
    T n = weft_small_integer(e, base), c = (T)(1);
#elif defined(WEFT_TABLES)
    // One of eight numbers is next to m; the logarithm of each has 42 bits behind the point and then zeros.
    TABLE(double, 8, numbers) = {1.0, 0x1.1a2bf7509d13fp+0, 0x1.3a37c9984180cp+0, 0x1.5a416baef251ap+0,
                       0x1.7a496b075ae13p+0, 0x1.9a502bfa37d43p+0, 0x1.ba55f2710a8e5p+0, 0x1.da5af22225c74p+0};
    TABLE(double, 8, logarithms) = {0.0, 0x1.1f999c810ep-3, 0x1.2eb771147ap-2, 0x1.be2667faa5p-2,
                          0x1.206da72198p-1, 0x1.5c7532dede8p-1, 0x1.93f78ad98dp-1, 0x1.c7970721418p-1};
    U index;
    T m = weft_split_normal(x, (I)(0x3feeaa0000000000L), &e, &index), c, n;
    index >>= (U)(49);
    PICK(c, numbers, index);
    PICK(n, logarithms, index);
    n += weft_small_integer(e, base);
#else
    // From the fourth root of 1/2 on, c is 1 or next to the root of 2, where its logarithm has 41 bits and then zeros.
    U place;
    T m = weft_split_normal(x, (I)(0x3feae89f995ad3adL), &e, &place);
    I upper = m >= (T)(0x1.306fe0a31b715p+0);
    T n = weft_small_integer(e, base), c = upper ? (T)(0x1.6a09f5e0391cbp+0) : (T)(1);
    n = upper ? n + (T)(0x1.00001f900ep-1) : n;
#endif
    T f = m - c, g = m + c;
    T g_low = m - (g - c);
    T reciprocal = (T)(1) / g;
    // s = f / g in units of the logarithm, as a sum of two: first f, before the quotient is known.
    T scaled = f * (T)(FACTOR);
    T scaled_low = MAD(f, (T)(FACTOR_LOW), weft_product_error(f, (T)(FACTOR), scaled));
    T high = scaled * reciprocal;
#ifdef FP_FAST_FMA
    T rest = FMA(-high, g, scaled);
#else
    T product = high * g;
    T rest = (scaled - product) - weft_product_error(high, g, product);
#endif
    T low = (rest + MAD(-high, g_low, scaled_low)) * reciprocal;
    T z = high * high;
#if T_SIZE == 4
    T p = POLY3(z, 0x1.47fd4p-5f, 0x1.7a3412p-9f, 0x1.0345bap-12f, 0x1.9bbe0cp-16f);
#elif defined(WEFT_TABLES)
    T p = SUM3(z, z * z, 0x1.47fd3ffac8384p-5, 0x1.7a3341fbd57d1p-9, 0x1.0394f2c740577p-12, 0x1.84a3c8dd763f4p-16);
#else
    T p = SUM5(z, z * z, 0x1.47fd3ffac83b3p-5, 0x1.7a3341fac7f64p-9, 0x1.03950180e0806p-12, 0x1.84023997dfc7bp-16,
               0x1.30fdbebf98ca9p-19, 0x1.fb4ff6e2629fap-23);
#endif
#if T_SIZE == 8 && !defined(WEFT_TABLES)
    // Where s is that large, what the quotient lacks counts in its cube too.
    T cubic = z * p;
    low = MAD(high, cubic, MAD(low, (T)(3) * cubic, low));
#else
    low = MAD(high * z, p, low);
#endif
    T sum = n + high;
    *near = sum + low;
    *tail = ((n - sum) + high) + low;
    return sum;
}

// Whether 2^t may be no normal number, or the power of a sum whose smaller part is at most a hundredth of t.
FN I weft_is_extreme(T t) { return !(FABS(t) < (T)(ORDINARY)); }

// 2^(t + tail), where lanes whose result may be no normal number are `rare`; a * b is next to that sum and known
// before it.
FN T weft_exp2_for_pow(T t, T tail, T a, T b, I rare) {
    I n;
#ifdef WEFT_TABLES
#define NEAREST weft_nearest_step
#else
#define NEAREST weft_nearest_product
#endif
    T k = NEAREST(a, b, &n);
    if (RARELY(rare)) {
        tail = FABS(t) < (T)(MOST) ? tail : (T)(0);
        t = CLAMPED(t, -MOST, MOST);
        k = NEAREST(t + tail, (T)(1), &n);
    }
    T r = (t - k) + tail;
#undef NEAREST
#ifdef WEFT_TABLES
    return weft_scale_by_steps(weft_exp2_less_one(r), n, rare);
#else
    return weft_scale_near_one(weft_exp2_reduced(r), n, rare);
#endif
}
#undef MOST
#undef ORDINARY
#undef SPLIT
#undef FACTOR
#undef FACTOR_LOW
