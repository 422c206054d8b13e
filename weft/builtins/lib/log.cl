// log, log2, log10: x = (1 + f) * 2^e, then e and the series of log(1 + f) in the base's units.
//! uses: exponent
//! types: floats
//! log(T) log2(T) log10(T)
//! types: float
//! native_log(T) native_log2(T) native_log10(T) half_log(T) half_log2(T) half_log10(T)

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

#if T_SIZE == 4

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
    T f = weft_log_split(x, &n, &rare);
    T low = MAD(n, (T)(0x1.7f7d1cp-20f), weft_log1p_tail(f)) + f;
    return weft_log_or_special(x, rare, MAD(n, (T)(0x1.62e4p-1f), low));
}

FN T weft_log2(T x) {
    I rare;
    T n;
    T f = weft_log_split(x, &n, &rare);
    T low = MAD(f, (T)(0x1.4ae0cp-26f), weft_log1p_tail(f) * (T)(0x1.715476p+0f));
    return weft_log_or_special(x, rare, n + MAD(f, (T)(0x1.715476p+0f), low));
}

FN T weft_log10(T x) {
    I rare;
    T n;
    T f = weft_log_split(x, &n, &rare);
    T low = MAD(f, (T)(-0x1.5b235ep-27f), weft_log1p_tail(f) * (T)(0x1.bcb7b2p-2f));
    low = MAD(n, (T)(0x1.3509f8p-18f), MAD(f, (T)(0x1.bcb7b2p-2f), low));
    return weft_log_or_special(x, rare, MAD(n, (T)(0x1.344p-2f), low));
}

FN T weft_native_log(T x) { return weft_log(x); }
FN T weft_native_log2(T x) { return weft_log2(x); }
FN T weft_native_log10(T x) { return weft_log10(x); }
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
    T f = weft_log_split(x, &n, &rare);
    T h = (T)(0.5) * f * f;
    T low = MAD(n, (T)(-0x1.8432a1b0e2634p-43), weft_log1p_series(f, h));
    return weft_log_or_special(x, rare, MAD(n, (T)(0x1.62e42fefa4p-1), f - (h - low)));
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
    T n, low;
    T f = weft_log_split(x, &n, &rare);
    T high = weft_log1p_times(f, (T)(0x1.71547652b82fep+0), (T)(0x1.777d0ffda0d24p-56), &low);
    T sum = n + high;
    return weft_log_or_special(x, rare, sum + (((n - sum) + high) + low));
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
