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
#define MASK(c) PASTE(MASK_, IS_SCALAR)(c)
#define MASK_1(c) (-(c))
#define MASK_0(c) (c)

#define INFINITE __builtin_inff()
#define NOT_A_NUMBER (0.0f / 0.0f)

// LOOKUP: result[lane] = table[index[lane]] for every lane.
#define LOOKUP(result, table, index) PASTE(LOOKUP_, IS_SCALAR)(result, table, index)
#define LOOKUP_1(result, table, index) (result) = (table)[index]
#define LOOKUP_0(result, table, index)       \
    for (int lane = 0; lane < N; ++lane)     \
    (result)[lane] = (table)[(index)[lane]]

// x within bounds; NaN stays NaN.
#define CLAMPED(x, low, high) ((x) < (T)(low) ? (T)(low) : (x) > (T)(high) ? (T)(high) : (x))

// POLYk: a polynomial of degree k, lowest coefficient first. The type is that of x.
#define COEFFICIENT(x, c) ((__typeof__(x))(c))
#define POLY1(x, a, b) MAD(COEFFICIENT(x, b), x, COEFFICIENT(x, a))
#define POLY2(x, a, ...) MAD(POLY1(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY3(x, a, ...) MAD(POLY2(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY4(x, a, ...) MAD(POLY3(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY5(x, a, ...) MAD(POLY4(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY6(x, a, ...) MAD(POLY5(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY7(x, a, ...) MAD(POLY6(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY8(x, a, ...) MAD(POLY7(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY9(x, a, ...) MAD(POLY8(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY10(x, a, ...) MAD(POLY9(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY11(x, a, ...) MAD(POLY10(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY12(x, a, ...) MAD(POLY11(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY13(x, a, ...) MAD(POLY12(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY14(x, a, ...) MAD(POLY13(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY15(x, a, ...) MAD(POLY14(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY16(x, a, ...) MAD(POLY15(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY17(x, a, ...) MAD(POLY16(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY18(x, a, ...) MAD(POLY17(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY19(x, a, ...) MAD(POLY18(x, __VA_ARGS__), x, COEFFICIENT(x, a))
#define POLY20(x, a, ...) MAD(POLY19(x, __VA_ARGS__), x, COEFFICIENT(x, a))
