// log1p, asinh, acosh, atanh: log(1 + x) from log(u) of the rounded u = 1 + x and what the rounding lost.
//! uses: log
//! types: floats
//! log1p(T) asinh(T) acosh(T) atanh(T)

FN T weft_log1p(T x) {
    T u = (T)(1) + x;
    // Either x or 1 is the larger; the other one's lost part is found exactly.
    T lost = FABS(x) < (T)(1) ? x - (u - (T)(1)) : (T)(1) - (u - x);
    T correction = lost / u;
    I rare;
    T n;
    T f = weft_log_split(u, &n, &rare);
#if T_SIZE == 4
    T low = MAD(n, (T)(0x1.7f7d1cp-20f), weft_log1p_tail(f)) + correction;
    T result = MAD(n, (T)(0x1.62e4p-1f), low + f);
#else
    T h = (T)(0.5) * f * f;
    T low = MAD(n, (T)(-0x1.8432a1b0e2634p-43), weft_log1p_series(f, h)) + correction;
    T result = MAD(n, (T)(0x1.62e42fefa4p-1), f - (h - low));
#endif
    result = weft_log_or_special(u, rare, result);
    return x == (T)(0) ? x : result;
}

#if T_SIZE == 4
#define FAR 0x1p14f
#define LOG_2 0x1.62e43p-1f
#else
#define FAR 0x1p28
#define LOG_2 0x1.62e42fefa39efp-1
#endif

FN T weft_asinh(T x) {
    T magnitude = FABS(x);
    I far = magnitude > (T)(FAR);
    T a = far ? (T)(1) : magnitude;
    T near_argument = a + (a * a) / ((T)(1) + SQRT(MAD(a, a, (T)(1))));
    T result = weft_log1p(far ? magnitude - (T)(1) : near_argument) + (far ? (T)(LOG_2) : (T)(0));
    result = COPYSIGN(result, x);
    return x == (T)(0) ? x : result;
}

FN T weft_acosh(T x) {
    I far = x > (T)(FAR);
    T t = far ? (T)(1) : x - (T)(1);
    T near_argument = t + SQRT(t * (t + (T)(2)));
    T result = weft_log1p(far ? x - (T)(1) : near_argument) + (far ? (T)(LOG_2) : (T)(0));
    return x < (T)(1) ? (T)(NOT_A_NUMBER) : result;
}

FN T weft_atanh(T x) {
    T magnitude = FABS(x);
    T result = (T)(0.5f) * weft_log1p((magnitude + magnitude) / ((T)(1) - magnitude));
    result = COPYSIGN(result, x);
    return x == (T)(0) ? x : result;
}
#undef FAR
#undef LOG_2
