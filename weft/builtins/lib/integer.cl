// Integer functions (OpenCL C 1.2, table 6.10), except those on 24 bits and upsample.
//! open
//! types: integers
//! abs(T) abs_diff(T, T) add_sat(T, T) sub_sat(T, T) hadd(T, T) rhadd(T, T)
//! clamp(T, T, T) clamp(T, T1, T1) max(T, T) max(T, T1) min(T, T) min(T, T1)
//! clz(T) ctz(T) popcount(T) rotate(T, T) mul_hi(T, T) mad_hi(T, T, T) mad_sat(T, T, T)

#ifdef T_IS_SIGNED
FN U weft_abs(T x) { return AS_TYPE(__builtin_elementwise_abs(x), U); }
#else
FN U weft_abs(T x) { return x; }
#endif

FN U weft_abs_diff(T x, T y) {
    return x > y ? AS_TYPE(x, U) - AS_TYPE(y, U) : AS_TYPE(y, U) - AS_TYPE(x, U);
}

FN T weft_add_sat(T x, T y) { return __builtin_elementwise_add_sat(x, y); }
FN T weft_sub_sat(T x, T y) { return __builtin_elementwise_sub_sat(x, y); }

// (x + y) >> 1 and (x + y + 1) >> 1 without overflow: common bits plus half of the differing ones.
FN T weft_hadd(T x, T y) { return (x & y) + (T)((x ^ y) >> (T)(1)); }
FN T weft_rhadd(T x, T y) { return (x | y) - (T)((x ^ y) >> (T)(1)); }

FN T weft_max(T x, T y) { return __builtin_elementwise_max(x, y); }
FN T weft_min(T x, T y) { return __builtin_elementwise_min(x, y); }
FN T weft_clamp(T x, T low, T high) { return weft_min(weft_max(x, low), high); }
#if N > 1
FN T weft_max(T x, T1 y) { return weft_max(x, (T)(y)); }
FN T weft_min(T x, T1 y) { return weft_min(x, (T)(y)); }
FN T weft_clamp(T x, T1 low, T1 high) { return weft_clamp(x, (T)(low), (T)(high)); }
#endif

FN T weft_clz(T x) { return __builtin_elementwise_clzg(x, (T)(T_SIZE * 8)); }
FN T weft_ctz(T x) { return __builtin_elementwise_ctzg(x, (T)(T_SIZE * 8)); }
FN T weft_popcount(T x) { return __builtin_elementwise_popcount(x); }
FN T weft_rotate(T x, T y) { return __builtin_elementwise_fshl(x, x, y); }

// The high half of the double-width product: by a wider type, for 64 bits by four products of 32 bits.
#if T_SIZE < 8
#ifdef T_IS_SIGNED
#define WIDE VEC(long)
#else
#define WIDE VEC(ulong)
#endif
FN T weft_mul_hi(T x, T y) {
    return CONVERT((CONVERT(x, WIDE) * CONVERT(y, WIDE)) >> (WIDE)(T_SIZE * 8), T);
}
#undef WIDE
#else
FN T weft_mul_hi(T x, T y) {
    U a = AS_TYPE(x, U), b = AS_TYPE(y, U), low = 0xffffffffUL;
    U al = a & low, ah = a >> (U)(32), bl = b & low, bh = b >> (U)(32);
    U middle = ah * bl + ((al * bl) >> (U)(32));
    U carry = al * bh + (middle & low);
    U high = ah * bh + (middle >> (U)(32)) + (carry >> (U)(32));
#ifdef T_IS_SIGNED
    high -= AS_TYPE(x >> (T)(63), U) & b;
    high -= AS_TYPE(y >> (T)(63), U) & a;
#endif
    return AS_TYPE(high, T);
}
#endif

FN T weft_mad_hi(T x, T y, T z) { return weft_mul_hi(x, y) + z; }

// The exact x * y + z in two words; it saturates when the upper one says more than the sign.
#ifdef T_IS_SIGNED
#define MAX_VALUE ((T)(T1)((U1)~(U1)0 >> 1))
FN T weft_mad_sat(T x, T y, T z) {
    U low = AS_TYPE(x, U) * AS_TYPE(y, U);
    U wrapped = low + AS_TYPE(z, U);
    T carry = wrapped < low ? (T)(1) : (T)(0);
    T sum = AS_TYPE(wrapped, T);
    // The exact sum is top * 2^bits + sum, and fits when top is the sign extension of sum.
    T top = weft_mul_hi(x, y) + (T)(z >> (T)(T_SIZE * 8 - 1)) + carry;
    T limit = (T)(top >> (T)(T_SIZE * 8 - 1)) ^ MAX_VALUE;
    return top == (T)(sum >> (T)(T_SIZE * 8 - 1)) ? sum : limit;
}
#undef MAX_VALUE
#else
FN T weft_mad_sat(T x, T y, T z) {
    T sum = __builtin_elementwise_add_sat((T)(x * y), z);
    return weft_mul_hi(x, y) == (T)(0) ? sum : (T)(~(T1)0);
}
#endif
