// What every template may use. The text of a template is compiled between definitions of
//   N   the vector width, 1 for scalars          T1, T   the element type and the vector of N of them
//   I1, I / U1, U   the signed / unsigned integers of T's size
//   AS, AS1         the address spaces of pointer parameters
// Scalars are vectors of width 1 by name (float1), so one spelling serves all widths.

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef ulong size_t;
typedef uint memory_order;
typedef uint memory_scope;

#define DECLARE_VECTORS(t)                              \
    typedef t t##1;                                     \
    typedef t t##2 __attribute__((ext_vector_type(2))); \
    typedef t t##3 __attribute__((ext_vector_type(3))); \
    typedef t t##4 __attribute__((ext_vector_type(4))); \
    typedef t t##8 __attribute__((ext_vector_type(8))); \
    typedef t t##16 __attribute__((ext_vector_type(16)));
DECLARE_VECTORS(char)
DECLARE_VECTORS(uchar)
DECLARE_VECTORS(short)
DECLARE_VECTORS(ushort)
DECLARE_VECTORS(int)
DECLARE_VECTORS(uint)
DECLARE_VECTORS(long)
DECLARE_VECTORS(ulong)
DECLARE_VECTORS(float)
DECLARE_VECTORS(double)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
DECLARE_VECTORS(half)

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define VEC(t) PASTE(t, N)
#define T VEC(T1)
#define I VEC(I1)
#define U VEC(U1)

// FN: a function of the library; ENTRY: one that kernels call.
#define FN static __attribute__((always_inline, overloadable))
#define ENTRY __attribute__((always_inline))
#define VALUE_OF(t) (*(__private __typeof__(t) *)0)

#define AS_TYPE(x, t) __builtin_astype(x, t)
#define FMA(a, b, c) __builtin_elementwise_fma(a, b, c)
#define FABS(x) __builtin_elementwise_abs(x)
#define SQRT(x) __builtin_elementwise_sqrt(x)
#define COPYSIGN(x, s) __builtin_elementwise_copysign(x, s)
// Round to nearest, ties to even. The rounding mode is never changed, so the form that may not raise
// the inexact flag is the same value and maps to one instruction.
#define RINT(x) __builtin_elementwise_roundeven(x)

// MAD: a*b+c where the rounding of the product does not matter.
#ifdef FP_FAST_FMA
#define MAD(a, b, c) FMA(a, b, c)
#else
#define MAD(a, b, c) ((a) * (b) + (c))
#endif

// CONVERT: lane by lane, as a C cast does. ANY/ALL: over the lanes of a comparison's result.
// MASK: a comparison's result as lanes of all ones or zero, also for scalars. SHAPE: for #if.
#define CONVERT(x, t) PASTE(CONVERT_, IS_SCALAR)(x, t)
#define IS_SCALAR PASTE(IS_SCALAR_, N)
#define IS_SCALAR_1 1
#define IS_SCALAR_2 0
#define IS_SCALAR_3 0
#define IS_SCALAR_4 0
#define IS_SCALAR_8 0
#define IS_SCALAR_16 0
#define CONVERT_1(x, t) ((t)(x))
#define CONVERT_0(x, t) __builtin_convertvector(x, t)
#define ANY(c) PASTE(ANY_, IS_SCALAR)(c)
#define ANY_1(c) (c)
#define ANY_0(c) (__builtin_reduce_or(c) != 0)
// RARELY: the same, where LLVM had better keep what depends on it out of the way of the others.
#define RARELY(c) __builtin_expect(ANY(c), 0)
#define MASK(c) PASTE(MASK_, IS_SCALAR)(c)
#define MASK_1(c) (-(c))
#define MASK_0(c) (c)

#define INFINITE __builtin_inff()
#define NOT_A_NUMBER (0.0f / 0.0f)

// LOOKUP: result[lane] = table[index[lane]] for every lane.
#define LOOKUP(result, table, index) ((result) = (__typeof__(result)){PASTE(ENTRIES_, N)(table, index)})
#define ENTRIES_1(table, index) (table)[index]
#define ENTRIES_2(table, index) (table)[(index)[0]], (table)[(index)[1]]
#define ENTRIES_3(table, index) ENTRIES_2(table, index), (table)[(index)[2]]
#define ENTRIES_4(table, index) ENTRIES_3(table, index), (table)[(index)[3]]
#define ENTRIES_8(table, index)                                                                  \
    ENTRIES_4(table, index), (table)[(index)[4]], (table)[(index)[5]], (table)[(index)[6]], (table)[(index)[7]]
#define ENTRIES_16(table, index)                                                                        \
    ENTRIES_8(table, index), (table)[(index)[8]], (table)[(index)[9]], (table)[(index)[10]],            \
        (table)[(index)[11]], (table)[(index)[12]], (table)[(index)[13]], (table)[(index)[14]], (table)[(index)[15]]

// TABLE: 16 entries of T's size if that is 4, 8 if it is 8, and what that is as a parameter: a vector, so that it may
// be in a register, or an array for scalars. PICK: as LOOKUP for an index whose last bits count, 4 or 3 of them; with
// AVX-512 one instruction.
#define TABLE(element, count, name) PASTE(TABLE_, IS_SCALAR)(element, count, name)
#define TABLE_1(element, count, name) const element name[]
#define TABLE_0(element, count, name) PASTE(element, count) name
#define TABLE_PARAMETER(element, count, name) PASTE(TABLE_PARAMETER_, IS_SCALAR)(element, count, name)
#define TABLE_PARAMETER_1(element, count, name) __private const element *name
#define TABLE_PARAMETER_0(element, count, name) PASTE(element, count) name
#define PICK(result, table, index) PASTE(PASTE(PICK_, T_SIZE), PASTE(_, N))(result, table, index)
#define PICK_4(result, table, index) LOOKUP(result, table, (index) & 15)
#define PICK_8(result, table, index) LOOKUP(result, table, (index) & 7)
#define PICK_4_1 PICK_4
#define PICK_4_2 PICK_4
#define PICK_4_3 PICK_4
#define PICK_4_4 PICK_4
#define PICK_4_8 PICK_4
#define PICK_4_16(result, table, index) ((result) = PERMUTED(4, float16, int16, table, index))
#define PICK_8_1 PICK_8
#define PICK_8_2 PICK_8
#define PICK_8_3 PICK_8
#define PICK_8_4 PICK_8
#define PICK_8_8(result, table, index) ((result) = PERMUTED(8, double8, long8, table, index))
#define PICK_8_16(result, table, index)                                   \
    ((result).lo = PERMUTED(8, double8, long8, table, (index).lo),        \
     (result).hi = PERMUTED(8, double8, long8, table, (index).hi))
// The same of a register: LLVM's function for the target's instruction, or what LLVM has to recognize lane by lane, and
// where it keeps an operation that leaves the last bits of the index.
#ifdef WEFT_LOOKUP_4
__attribute__((const)) float16 weft_permuted_4(float16 table, int16 index) __asm(WEFT_LOOKUP_4);
__attribute__((const)) double8 weft_permuted_8(double8 table, long8 index) __asm(WEFT_LOOKUP_8);
#define PERMUTED(size, numbers, integers, table, index) \
    AS_TYPE(PASTE(weft_permuted_, size)(AS_TYPE(table, numbers), AS_TYPE(index, integers)), __typeof__(table))
#else
#define PERMUTED(size, numbers, integers, table, index) __builtin_shufflevector(table, index)
#endif

// x within bounds; NaN stays NaN.
#define CLAMPED(x, low, high) ((x) < (T)(low) ? (T)(low) : (x) > (T)(high) ? (T)(high) : (x))

// POLYk: a polynomial of degree k, lowest coefficient first. The type is that of x. The processor waits for long chains
// of operations: pairs of coefficients, and in long ones four of them, are summed beside each other; the last two
// steps, which decide the accuracy, are not.
#define COEFFICIENT(x, c) ((__typeof__(x))(c))
#define POLY1(x, a, b) MAD(COEFFICIENT(x, b), x, COEFFICIENT(x, a))
#define POLY2(x, a, ...) MAD(POLY1(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY3(x, a, ...) MAD(POLY2(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY4(x, a, ...) MAD(POLY3(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY5(x, a, b, ...) LAST_STEPS(x, a, b, SUM3(x, (x) * (x), __VA_ARGS__))
#define POLY6(x, a, b, ...) LAST_STEPS(x, a, b, SUM4(x, (x) * (x), __VA_ARGS__))
#define POLY7(x, a, b, ...) LAST_STEPS(x, a, b, SUM5(x, (x) * (x), __VA_ARGS__))
#define POLY8(x, a, b, ...) LAST_STEPS(x, a, b, SUM6(x, (x) * (x), __VA_ARGS__))
#define POLY9(x, a, b, ...) LAST_STEPS(x, a, b, SUM7(x, (x) * (x), __VA_ARGS__))
#define POLY10(x, a, b, ...) LAST_STEPS(x, a, b, SUM8(x, (x) * (x), __VA_ARGS__))
#define POLY11(x, a, b, ...) LAST_STEPS(x, a, b, SUM9(x, (x) * (x), __VA_ARGS__))
#define POLY12(x, a, b, ...) LAST_STEPS(x, a, b, SUM10(x, (x) * (x), __VA_ARGS__))
#define POLY13(x, a, b, ...) LAST_STEPS(x, a, b, SUM11(x, (x) * (x), __VA_ARGS__))
#define POLY14(x, a, b, ...) LAST_STEPS(x, a, b, SUM12(x, (x) * (x), __VA_ARGS__))
#define POLY15(x, a, b, ...) LAST_STEPS(x, a, b, SUM13(x, (x) * (x), __VA_ARGS__))
#define POLY16(x, a, b, ...) LAST_STEPS(x, a, b, SUM14(x, (x) * (x), __VA_ARGS__))
#define POLY17(x, a, b, ...) LAST_STEPS(x, a, b, SUM15(x, (x) * (x), __VA_ARGS__))
#define POLY18(x, a, b, ...) LAST_STEPS(x, a, b, SUM16(x, (x) * (x), __VA_ARGS__))
#define POLY19(x, a, b, ...) LAST_STEPS(x, a, b, SUM17(x, (x) * (x), __VA_ARGS__))
#define POLY20(x, a, b, ...) LAST_STEPS(x, a, b, SUM18(x, (x) * (x), __VA_ARGS__))
#define LAST_STEPS(x, a, b, rest) MAD(MAD(rest, x, COEFFICIENT(x, b)), x, COEFFICIENT(x, a))
// SUMk: the same of degree k without last steps; z is the square of x.
#define SUM1(x, z, a, b) MAD(COEFFICIENT(x, b), x, COEFFICIENT(x, a))
#define SUM2(x, z, a, b, c) MAD(COEFFICIENT(x, c), z, SUM1(x, z, a, b))
#define SUM3(x, z, a, b, ...) MAD(SUM1(x, z, __VA_ARGS__), z, SUM1(x, z, a, b))
#define SUM4(x, z, a, b, ...) MAD(SUM2(x, z, __VA_ARGS__), z, SUM1(x, z, a, b))
#define SUM5(x, z, a, b, ...) MAD(SUM3(x, z, __VA_ARGS__), z, SUM1(x, z, a, b))
#define SUM6(x, z, a, b, ...) MAD(SUM4(x, z, __VA_ARGS__), z, SUM1(x, z, a, b))
#define SUM7(x, z, a, b, ...) MAD(SUM5(x, z, __VA_ARGS__), z, SUM1(x, z, a, b))
#define SUM8(x, z, a, b, c, d, ...) MAD(SUM4(x, z, __VA_ARGS__), (z) * (z), SUM3(x, z, a, b, c, d))
#define SUM9(x, z, a, b, c, d, ...) MAD(SUM5(x, z, __VA_ARGS__), (z) * (z), SUM3(x, z, a, b, c, d))
#define SUM10(x, z, a, b, c, d, ...) MAD(SUM6(x, z, __VA_ARGS__), (z) * (z), SUM3(x, z, a, b, c, d))
#define SUM11(x, z, a, b, c, d, ...) MAD(SUM7(x, z, __VA_ARGS__), (z) * (z), SUM3(x, z, a, b, c, d))
#define SUM12(x, z, a, b, c, d, ...) MAD(SUM8(x, z, __VA_ARGS__), (z) * (z), SUM3(x, z, a, b, c, d))
#define SUM13(x, z, a, b, c, d, ...) MAD(SUM9(x, z, __VA_ARGS__), (z) * (z), SUM3(x, z, a, b, c, d))
#define SUM14(x, z, a, b, c, d, ...) MAD(SUM10(x, z, __VA_ARGS__), (z) * (z), SUM3(x, z, a, b, c, d))
#define SUM15(x, z, a, b, c, d, ...) MAD(SUM11(x, z, __VA_ARGS__), (z) * (z), SUM3(x, z, a, b, c, d))
#define SUM16(x, z, a, b, c, d, ...) MAD(SUM12(x, z, __VA_ARGS__), (z) * (z), SUM3(x, z, a, b, c, d))
#define SUM17(x, z, a, b, c, d, ...) MAD(SUM13(x, z, __VA_ARGS__), (z) * (z), SUM3(x, z, a, b, c, d))
#define SUM18(x, z, a, b, c, d, ...) MAD(SUM14(x, z, __VA_ARGS__), (z) * (z), SUM3(x, z, a, b, c, d))
