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
#else
    // From the fourth root of 1/2 on, c is 1 or next to the root of 2, where its logarithm has 41 bits and then zeros.
    T m = weft_split_normal(x, (I)(0x3feae89f995ad3adL), &e);
    I upper = m >= (T)(0x1.306fe0a31b715p+0);
    T n = weft_small_integer(e, base), c = upper ? (T)(0x1.6a09f5e0391cbp+0) : (T)(1);
    n = upper ? n + (T)(0x1.00001f900ep-1) : n;
#endif
    T f = m - c, g = m + c;
    T g_low = m - (g - c);
    T reciprocal = (T)(1) / g;
    T s = f * reciprocal;
#ifdef FP_FAST_FMA
    T rest = FMA(-s, g, f);
#else
    T sg = s * g;
    T rest = (f - sg) - weft_product_error(s, g, sg);
#endif
    T s_low = MAD(-s, g_low, rest) * reciprocal;
    T z = s * s;
#if T_SIZE == 4
    T p = POLY3(z, 0x1.ec709ep-1f, 0x1.277768p-1f, 0x1.a5967ap-2f, 0x1.5c5fe4p-2f);
#else
    T p = SUM5(z, z * z, 0x1.ec709dc3a03fbp-1, 0x1.2776c50efb5f5p-1, 0x1.a617629cb471bp-2, 0x1.484b24e5a7458p-2,
                0x1.0c8d21b1f9c2cp-2, 0x1.d0df880454b08p-3);
#endif
    T high = s * (T)(FACTOR);
    T low = weft_product_error(s, (T)(FACTOR), high);
    low = MAD(s, (T)(FACTOR_LOW), low);
    low = MAD(s * z, p, MAD(s_low, (T)(FACTOR), low));
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
    T k = weft_nearest_product(a, b, &n);
    if (RARELY(rare)) {
        tail = FABS(t) < (T)(MOST) ? tail : (T)(0);
        t = CLAMPED(t, -MOST, MOST);
        k = weft_nearest_product(t + tail, (T)(1), &n);
    }
    return weft_scale_near_one(weft_exp2_reduced((t - k) + tail), n, rare);
}
#undef MOST
#undef ORDINARY
#undef SPLIT
#undef FACTOR
#undef FACTOR_LOW
