// log, log2, log10: x = (1 + f) * 2^e, then e and the series of log(1 + f) in the base's units.
//! uses: exponent
//! types: floats
//! log(T) log2(T) log10(T)
//! types: float
//! half_log(T) half_log2(T) half_log10(T)

// x = (1 + f) * 2^n, where the result is f. Only if a lane is no positive normal number, all lanes take the way for
// such numbers: before the logarithm the subnormal ones, behind it the others.
FN T weft_log_split(T x, __private T *n, __private I *rare) {
    *rare = weft_is_rare(x);
    I e;
    T base;
    T m = weft_split_normal(weft_make_normal(x, *rare, &base), &e);
    *n = weft_small_integer(e, base);
    return m - (T)(1);
}

// `result` for positive finite x; infinities and NaN for the rest.
FN T weft_log_or_special(T x, I rare, T result) {
    if (RARELY(rare)) {
        T special = x < (T)(0) ? (T)(NOT_A_NUMBER) : x;
        special = x == (T)(0) ? (T)(-INFINITE) : special;
        result = (x > (T)(0)) & (x < (T)(INFINITE)) ? result : special;
    }
    return result;
}

#ifdef WEFT_TABLES
#if T_SIZE == 4
#define ENTRIES 16
#define FIRST 0x3f7aa800
#define INDEX_BITS 4
#else
#define ENTRIES 8
#define FIRST 0x3feeaa0000000000L
#define INDEX_BITS 3
#endif

// x = 2^n / c * (1 + r), where the result is r, c one of `numbers` and *logarithm that of 1 / c. The sum of the
// logarithm and n times log(2), to as many bits, is exact. Without `rare`, x is taken for a positive normal number.
FN T weft_log_near(T x, TABLE_PARAMETER(T1, ENTRIES, numbers), TABLE_PARAMETER(T1, ENTRIES, logarithms),
                   __private T *n, __private T *logarithm, __private I *rare) {
    I e, any = (I)(0);
    U index;
    T base, c;
    if (rare)
        any = *rare = weft_is_rare(x);
    x = weft_make_normal(x, any, &base);
    T m = weft_split_normal(x, (I)(FIRST), &e, &index);
    index >>= (U)((T_SIZE == 4 ? 23 : 52) - INDEX_BITS);
    PICK(c, numbers, index);
    PICK(*logarithm, logarithms, index);
    *n = weft_small_integer(e, base);
    return FMA(m, c, (T)(-1));
}
#undef ENTRIES
#undef FIRST
#undef INDEX_BITS
#endif

#if T_SIZE == 4

#ifdef WEFT_TABLES
// The same for each base.
FN T weft_log_near_e(T x, __private T *n, __private T *logarithm, __private I *rare) {
    TABLE(float, 16, numbers) = {1.0f, 0x1.f0bb76p-1f, 0x1.cd6956p-1f, 0x1.b45602p-1f, 0x1.9d9b48p-1f,
                                 0x1.8a139p-1f, 0x1.791f42p-1f, 0x1.6931d8p-1f, 0x1.591b62p-1f, 0x1.4a5c3ap-1f,
                                 0x1.3f8ac8p-1f, 0x1.322d66p-1f, 0x1.276ddp-1f, 0x1.1cf654p-1f, 0x1.133806p-1f,
                                 0x1.099f42p-1f};
    TABLE(float, 16, logarithms) = {0.0f, 0x1.fp-6f, 0x1.aa2p-4f, 0x1.478p-3f, 0x1.b51p-3f, 0x1.0c1p-2f,
                                    0x1.3918p-2f, 0x1.6548p-2f, 0x1.93fp-2f, 0x1.c0a8p-2f, 0x1.e2cp-2f, 0x1.074p-1f,
                                    0x1.198cp-1f, 0x1.2c04p-1f, 0x1.3dd4p-1f, 0x1.5p-1f};
    return weft_log_near(x, numbers, logarithms, n, logarithm, rare);
}

FN T weft_log_near_2(T x, __private T *n, __private T *logarithm, __private I *rare) {
    TABLE(float, 16, numbers) = {1.0f, 0x1.efa46ep-1f, 0x1.cd9e3p-1f, 0x1.b3962p-1f, 0x1.9daa7p-1f, 0x1.8a615ap-1f,
                                 0x1.789b58p-1f, 0x1.6882ap-1f, 0x1.58a282p-1f, 0x1.4a6a22p-1f, 0x1.3eaee4p-1f,
                                 0x1.319292p-1f, 0x1.274a8p-1f, 0x1.1cd638p-1f, 0x1.12dcf6p-1f, 0x1.087e58p-1f};
    TABLE(float, 16, logarithms) = {0.0f, 0x1.7fcp-5f, 0x1.321p-3f, 0x1.dd9p-3f, 0x1.3b1p-2f, 0x1.8198p-2f,
                                    0x1.c5b8p-2f, 0x1.032p-1f, 0x1.2464p-1f, 0x1.4384p-1f, 0x1.5e38p-1f,
                                    0x1.7d4p-1f, 0x1.9688p-1f, 0x1.b128p-1f, 0x1.cb7cp-1f, 0x1.e7e4p-1f};
    return weft_log_near(x, numbers, logarithms, n, logarithm, rare);
}
#endif

// log(1 + f) - f
FN T weft_log1p_tail(T f) {
    T square = f * f;
    T q = POLY8(f, 0x1.555548p-2f, -0x1.000006p-2f, 0x1.99a4b6p-3f, -0x1.555c4cp-3f, 0x1.23375cp-3f, -0x1.fc221ep-4f,
                0x1.e6f126p-4f, -0x1.de3bc8p-4f, 0x1.1455b4p-4f);
    return MAD(square, (T)(-0.5f), f * square * q);
}

FN T weft_log(T x) {
    I rare;
    T n;
#ifdef WEFT_TABLES
    T logarithm;
    T r = weft_log_near_e(x, &n, &logarithm, &rare);
    T q = SUM3(r, r * r, -0x1.fffffep-2f, 0x1.555766p-2f, -0x1.00212ap-2f, 0x1.873feep-3f);
    T low = MAD(n, (T)(0x1.7f7d1cp-20f), MAD(r * r, q, r));
    return weft_log_or_special(x, rare, MAD(n, (T)(0x1.62e4p-1f), logarithm) + low);
#else
    T f = weft_log_split(x, &n, &rare);
    T low = MAD(n, (T)(0x1.7f7d1cp-20f), weft_log1p_tail(f)) + f;
    return weft_log_or_special(x, rare, MAD(n, (T)(0x1.62e4p-1f), low));
#endif
}

FN T weft_log2(T x) {
    I rare;
    T n;
#ifdef WEFT_TABLES
    T logarithm;
    T r = weft_log_near_2(x, &n, &logarithm, &rare);
    T q = SUM3(r, r * r, -0x1.715476p-1f, 0x1.ec739ap-2f, -0x1.71845p-2f, 0x1.1a3a1ep-2f);
    return weft_log_or_special(x, rare, (n + logarithm) + MAD(r, (T)(0x1.715476p+0f), (r * r) * q));
#else
    T f = weft_log_split(x, &n, &rare);
    T low = MAD(f, (T)(0x1.4ae0cp-26f), weft_log1p_tail(f) * (T)(0x1.715476p+0f));
    return weft_log_or_special(x, rare, n + MAD(f, (T)(0x1.715476p+0f), low));
#endif
}

FN T weft_log10(T x) {
    I rare;
    T n;
    T f = weft_log_split(x, &n, &rare);
    T low = MAD(f, (T)(-0x1.5b235ep-27f), weft_log1p_tail(f) * (T)(0x1.bcb7b2p-2f));
    low = MAD(n, (T)(0x1.3509f8p-18f), MAD(f, (T)(0x1.bcb7b2p-2f), low));
    return weft_log_or_special(x, rare, MAD(n, (T)(0x1.344p-2f), low));
}

FN T weft_half_log(T x) { return weft_log(x); }
FN T weft_half_log2(T x) { return weft_log2(x); }
FN T weft_half_log10(T x) { return weft_log10(x); }

#else

// With s = f / (2 + f): log(1 + f) = 2s + s^3 R(s^2) = f - h + s * (h + s^2 R), where h = f^2 / 2.
// The result is s * (h + s^2 R); the caller adds f - h as exactly as it needs.
FN T weft_log1p_series(T f, T h) {
    T s = f / (f + (T)(2));
    T z = s * s;
    T r = POLY6(z, 0x1.5555555555592p-1, 0x1.999999997fed3p-2, 0x1.24924941e1ea9p-2, 0x1.c71c52155c41dp-3,
                0x1.74663c854e625p-3, 0x1.39a1f681b885fp-3, 0x1.2f031a2bc2766p-3);
    return s * MAD(z, r, h);
}

FN T weft_log(T x) {
    I rare;
    T n;
#ifdef WEFT_TABLES
    TABLE(double, 8, numbers) = {1.0, 0x1.cfc44cc446ca6p-1, 0x1.a099041483a7dp-1, 0x1.7a234db99c4c1p-1,
                       0x1.5a2dd0529f050p-1, 0x1.3f3386643467ep-1, 0x1.281fd5aa4c0b1p-1, 0x1.1428c14ee4524p-1};
    TABLE(double, 8, logarithms) = {0.0, 0x1.954509cfp-4, 0x1.a64e0f08p-3, 0x1.3656d8bcbp-2,
                          0x1.90c2f8c588p-2, 0x1.e3d7c4fb1p-2, 0x1.1857d64d1cp-1, 0x1.3c14ebccecp-1};
    T logarithm;
    T r = weft_log_near(x, numbers, logarithms, &n, &logarithm, &rare);
    T square = r * r;
    T even = POLY4(square, -0x1.0000000000003p-1, -0x1.ffffffffef3cap-3, -0x1.555555c7a9dd9p-3, -0x1.fffd83a9f85afp-4,
                   -0x1.9c9fb75bee0cep-4);
    T odd = POLY4(square, 0x1.555555555555ep-2, 0x1.999999998433fp-3, 0x1.249249a3c2177p-3, 0x1.c719e7d8abe30p-4,
                  0x1.7746d9fcc41c1p-4);
    T q = MAD(odd, r, even);
    T low = MAD(n, (T)(-0x1.8432a1b0e2634p-43), MAD(square, q, r));
    return weft_log_or_special(x, rare, MAD(n, (T)(0x1.62e42fefa4p-1), logarithm) + low);
#else
    T f = weft_log_split(x, &n, &rare);
    T h = (T)(0.5) * f * f;
    T low = MAD(n, (T)(-0x1.8432a1b0e2634p-43), weft_log1p_series(f, h));
    return weft_log_or_special(x, rare, MAD(n, (T)(0x1.62e42fefa4p-1), f - (h - low)));
#endif
}

// The product of log(1 + f) and a constant in two parts, as the sum of the result and *low.
FN T weft_log1p_times(T f, T factor, T factor_low, __private T *low) {
    T h = (T)(0.5) * f * f;
    T series = weft_log1p_series(f, h);
#ifdef FP_FAST_FMA
    T rest = series - h;
    T high = f * factor;
    *low = MAD(rest, factor, MAD(f + rest, factor_low, FMA(f, factor, -high)));
    return high;
#else
    // The first part of each has so few bits that their product is exact.
    U kept = (U)(0xffffffff00000000UL);
    T head = AS_TYPE(AS_TYPE(f - h, U) & kept, T), short_factor = AS_TYPE(AS_TYPE(factor, U) & kept, T);
    T tail = ((f - head) - h) + series;
    *low = (head + tail) * (factor_low + (factor - short_factor)) + tail * short_factor;
    return head * short_factor;
#endif
}

FN T weft_log2(T x) {
    I rare;
#ifdef WEFT_TABLES
    TABLE(double, 8, numbers) = {1.0, 0x1.cfc4388ef30cep-1, 0x1.a098f8b1b6a4cp-1, 0x1.7a23457b99c4cp-1,
                       0x1.5a2dcfdd18691p-1, 0x1.3f3383371119ap-1, 0x1.281fd05ec67ffp-1, 0x1.1428b95da6767p-1};
    TABLE(double, 8, logarithms) = {0.0, 0x1.24579d4ccp-3, 0x1.30a1149c49p-2, 0x1.bfb9b28ad9p-2,
                          0x1.2116a1dfa1p-1, 0x1.5d04da07d48p-1, 0x1.9473277fc88p-1, 0x1.c8028615f6p-1};
    T n, logarithm, factor = (T)(0x1.71547652b82fep+0);
    T r = weft_log_near(x, numbers, logarithms, &n, &logarithm, &rare);
    T square = r * r;
    T even = POLY4(square, -0x1.71547652b8302p-1, -0x1.71547652ac185p-2, -0x1.ec709e6891d0dp-3, -0x1.7152ab4dbe819p-3,
                   -0x1.29a52d354f6bep-3);
    T odd = POLY4(square, 0x1.ec709dc3a040bp-2, 0x1.2776c50eea50ap-2, 0x1.a617635f2bcc6p-3, 0x1.48493f0430ba4p-3,
                  0x1.0eb4787464652p-3);
    T q = MAD(odd, r, even);
    return weft_log_or_special(x, rare, (n + logarithm) + MAD(r, factor, square * q));
#else
    T n, low;
    T f = weft_log_split(x, &n, &rare);
    T high = weft_log1p_times(f, (T)(0x1.71547652b82fep+0), (T)(0x1.777d0ffda0d24p-56), &low);
    T sum = n + high;
    return weft_log_or_special(x, rare, sum + (((n - sum) + high) + low));
#endif
}

FN T weft_log10(T x) {
    I rare;
    T n, low;
    T f = weft_log_split(x, &n, &rare);
    T high = weft_log1p_times(f, (T)(0x1.bcb7b1526e50ep-2), (T)(0x1.95355baaafad3p-57), &low);
    T whole = n * (T)(0x1.34413509f8p-2);
    low = MAD(n, (T)(-0x1.80433b83b532ap-44), low);
    T sum = whole + high;
    return weft_log_or_special(x, rare, sum + (((whole - sum) + high) + low));
}

#endif
