// Integer functions (OpenCL C 1.2, table 6.10), except those on 24 bits, upsample and products of 64 bits.
//! open
//! types: integers
//! abs(T) abs_diff(T, T) add_sat(T, T) sub_sat(T, T) hadd(T, T) rhadd(T, T)
//! clamp(T, T, T) clamp(T, T1, T1) max(T, T) max(T, T1) min(T, T) min(T, T1)
//! clz(T) ctz(T) popcount(T) rotate(T, T)
//! types: char uchar short ushort int uint
//! mul_hi(T, T) mad_hi(T, T, T) mad_sat(T, T, T)

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

#if T_SIZE < 8
#ifdef T_IS_SIGNED
#define SIGNED_LIKE_T(t) t
#else
#define SIGNED_LIKE_T(t) u##t
#endif
#if T_SIZE == 1
#define WIDE VEC(SIGNED_LIKE_T(short))
#elif T_SIZE == 2
#define WIDE VEC(SIGNED_LIKE_T(int))
#else
#define WIDE VEC(SIGNED_LIKE_T(long))
#endif
FN T weft_mul_hi(T x, T y) {
    return CONVERT((CONVERT(x, WIDE) * CONVERT(y, WIDE)) >> (WIDE)(T_SIZE * 8), T);
}
FN T weft_mad_hi(T x, T y, T z) { return weft_mul_hi(x, y) + z; }

// The sum is exact in the wide type.
#ifdef T_IS_SIGNED
#define MAX_VALUE ((WIDE)(T1)((U1)~(U1)0 >> 1))
#define MIN_VALUE ((WIDE)~MAX_VALUE)
#else
#define MAX_VALUE ((WIDE)(T1)~(T1)0)
#define MIN_VALUE ((WIDE)(0))
#endif
FN T weft_mad_sat(T x, T y, T z) {
    WIDE sum = CONVERT(x, WIDE) * CONVERT(y, WIDE) + CONVERT(z, WIDE);
    return CONVERT(__builtin_elementwise_min(__builtin_elementwise_max(sum, MIN_VALUE), MAX_VALUE), T);
}
#undef SIGNED_LIKE_T
#undef WIDE
#undef MAX_VALUE
#undef MIN_VALUE
#endif
