// e^(x + low) = (1 + result) * 2^n for a small `low`.
//! uses: exponent

FN T weft_exp_parts_within(T x, T low, __private I *n) {
#if T_SIZE == 4
    T k = weft_nearest_product(x, (T)(0x1.715476p+0f), n);
    T r = MAD(k, (T)(-0x1.62e4p-1f), x);
    r = MAD(k, (T)(-0x1.7f7d1cp-20f), r) + low;
    T q = POLY4(r, 0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558f2p-5f, 0x1.1239e6p-7f, 0x1.6a241ep-10f);
#else
    T k = weft_nearest_product(x, (T)(0x1.71547652b82fep+0), n);
    T r = MAD(k, (T)(-0x1.62e42fefa4p-1), x);
    r = MAD(k, (T)(0x1.8432a1b0e2634p-43), r) + low;
    T q = POLY9(r, 0x1.000000000000ap-1, 0x1.55555555554fap-3, 0x1.5555555550877p-5, 0x1.1111111127be4p-7,
                0x1.6c16c1842b185p-10, 0x1.a01a012a5b679p-13, 0x1.a0199a09ec9bep-16, 0x1.71df2544cf5cdp-19,
                0x1.28ad74df00a0dp-22, 0x1.ad7f8a1f075e3p-26);
#endif
    return MAD(r * r, q, r);
}

// Where beyond it e^x and e^x / 2 are zero or infinite anyway.
FN T weft_clamped_exponent(T x) {
    return T_SIZE == 4 ? CLAMPED(x, -105.0f, 92.0f) : CLAMPED(x, -746.0f, 712.0f);
}

// The same with x clamped.
FN T weft_exp_parts(T x, T low, __private I *n) { return weft_exp_parts_within(weft_clamped_exponent(x), low, n); }

// The sum with -0 is no operation.
FN T weft_exp_parts(T x, __private I *n) { return weft_exp_parts(x, (T)(-0.0f), n); }
