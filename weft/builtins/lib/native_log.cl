// native_log, native_log2, native_log10: for positive normal numbers. The logarithm of others is -infinity if they are
// not positive, and NaN is NaN.
//! uses: log
//! types: float
//! native_log(T) native_log2(T) native_log10(T)

#ifdef WEFT_TABLES
FN T weft_native_log(T x) {
    T n, logarithm;
    T r = weft_log_near_e(x, &n, &logarithm, 0);
    T q = POLY2(r, -0x1.0000d4p-1f, 0x1.557e16p-2f, -0x1.ed3dbep-3f);
    T result = MAD(n, (T)(0x1.62e43p-1f), logarithm) + MAD(r * r, q, r);
    return x > (T)(0) ? result : x - (T)(INFINITE);
}

FN T weft_native_log2(T x) {
    T n, logarithm;
    T r = weft_log_near_2(x, &n, &logarithm, 0);
    T q = POLY2(r, -0x1.7155a8p-1f, 0x1.ecab68p-2f, -0x1.63cc5ep-2f);
    T result = (n + logarithm) + r * MAD(r, q, (T)(0x1.715476p+0f));
    return x > (T)(0) ? result : x - (T)(INFINITE);
}

FN T weft_native_log10(T x) { return weft_native_log2(x) * (T)(0x1.344136p-2f); }
#else
FN T weft_native_log(T x) { return weft_log(x); }
FN T weft_native_log2(T x) { return weft_log2(x); }
FN T weft_native_log10(T x) { return weft_log10(x); }
#endif
