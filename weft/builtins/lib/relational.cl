// Relational functions on floating-point numbers: 1 and 0 for scalars, all bits and none for vectors.
//! open
//! not lane by lane
//! types: reals
//! isequal(T, T) isnotequal(T, T) isgreater(T, T) isgreaterequal(T, T) isless(T, T) islessequal(T, T)
//! islessgreater(T, T) isordered(T, T) isunordered(T, T)
//! isfinite(T) isinf(T) isnan(T) isnormal(T) signbit(T)

#if N == 1
#define RESULT int
#else
#define RESULT I
#endif
#define MAGNITUDE(x) (AS_TYPE(x, I) & (I)(I1)((U1)~(U1)0 >> 1))
#if T_SIZE == 2
#define INFINITE_BITS ((I)(0x7c00))
#define SMALLEST_NORMAL_BITS ((I)(0x0400))
#elif T_SIZE == 4
#define INFINITE_BITS ((I)(0x7f800000))
#define SMALLEST_NORMAL_BITS ((I)(0x00800000))
#else
#define INFINITE_BITS ((I)(0x7ff0000000000000L))
#define SMALLEST_NORMAL_BITS ((I)(0x0010000000000000L))
#endif
FN RESULT weft_isequal(T x, T y) { return x == y; }
FN RESULT weft_isnotequal(T x, T y) { return x != y; }
FN RESULT weft_isgreater(T x, T y) { return x > y; }
FN RESULT weft_isgreaterequal(T x, T y) { return x >= y; }
FN RESULT weft_isless(T x, T y) { return x < y; }
FN RESULT weft_islessequal(T x, T y) { return x <= y; }
FN RESULT weft_islessgreater(T x, T y) { return (x < y) | (x > y); }
FN RESULT weft_isordered(T x, T y) { return (x == x) & (y == y); }
FN RESULT weft_isunordered(T x, T y) { return (x != x) | (y != y); }
FN RESULT weft_isfinite(T x) { return MAGNITUDE(x) < INFINITE_BITS; }
FN RESULT weft_isinf(T x) { return MAGNITUDE(x) == INFINITE_BITS; }
FN RESULT weft_isnan(T x) { return MAGNITUDE(x) > INFINITE_BITS; }
FN RESULT weft_isnormal(T x) {
    return (MAGNITUDE(x) < INFINITE_BITS) & (MAGNITUDE(x) >= SMALLEST_NORMAL_BITS);
}
FN RESULT weft_signbit(T x) { return AS_TYPE(x, I) < (I)(0); }
#undef RESULT
#undef MAGNITUDE
#undef INFINITE_BITS
#undef SMALLEST_NORMAL_BITS
