// Stores of float and double as half, with every rounding mode; alignment as for the loads.
//! open
//! uses: half_bits
//! types: floats
//! vstore_half(T1, size_t, half*) vstore_half#(T, size_t, half*)
//! vstore_half_rte(T1, size_t, half*) vstore_half#_rte(T, size_t, half*)
//! vstore_half_rtz(T1, size_t, half*) vstore_half#_rtz(T, size_t, half*)
//! vstore_half_rtp(T1, size_t, half*) vstore_half#_rtp(T, size_t, half*)
//! vstore_half_rtn(T1, size_t, half*) vstore_half#_rtn(T, size_t, half*)
//! vstorea_half(T1, size_t, half*) vstorea_half#(T, size_t, half*)
//! vstorea_half_rte(T1, size_t, half*) vstorea_half#_rte(T, size_t, half*)
//! vstorea_half_rtz(T1, size_t, half*) vstorea_half#_rtz(T, size_t, half*)
//! vstorea_half_rtp(T1, size_t, half*) vstorea_half#_rtp(T, size_t, half*)
//! vstorea_half_rtn(T1, size_t, half*) vstorea_half#_rtn(T, size_t, half*)

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#if N == 1
#define STORE(stride, vector) ((AS short *)p)[offset] = bits
#elif N == 3
#define STORE(stride, vector)            \
    AS short *at = (AS short *)p + offset * (stride); \
    at[0] = bits.x, at[1] = bits.y, at[2] = bits.z
#else
#define STORE(stride, vector) *(AS vector *)((AS short *)p + offset * N) = bits
#endif
#if N == 1
#define NAMED(prefix, suffix) prefix##suffix
#define STRIDE 1
#else
#define NAMED(prefix, suffix) PASTE(PASTE(prefix, N), suffix)
#define STRIDE (N == 3 ? 4 : N)
#endif
#define DEFINE(suffix, mode)                                                              \
    FN void NAMED(weft_vstore_half, suffix)(T value, size_t offset, AS half *p) {         \
        typedef VEC(short) unaligned __attribute__((aligned(2)));                         \
        VEC(short) bits = weft_half_bits(value, mode);                                    \
        STORE(N, unaligned);                                                              \
    }                                                                                     \
    FN void NAMED(weft_vstorea_half, suffix)(T value, size_t offset, AS half *p) {        \
        VEC(short) bits = weft_half_bits(value, mode);                                    \
        STORE(STRIDE, VEC(short));                                                        \
    }
DEFINE(, 0)
DEFINE(_rte, 0)
DEFINE(_rtz, -1)
DEFINE(_rtp, 1)
DEFINE(_rtn, 2)
#undef STORE
#undef NAMED
#undef STRIDE
#undef DEFINE
