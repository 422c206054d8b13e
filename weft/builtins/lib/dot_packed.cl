// cl_khr_integer_dot_product: four bytes in a word.
//! open
//! not lane by lane
//! types: uint
//! widths: 1
//! dot_4x8packed_uu_uint(T, T) dot_4x8packed_ss_int(T, T) dot_4x8packed_us_int(T, T) dot_4x8packed_su_int(T, T)
//! dot_acc_sat_4x8packed_uu_uint(T, T, T) dot_acc_sat_4x8packed_ss_int(T, T, I)
//! dot_acc_sat_4x8packed_us_int(T, T, I) dot_acc_sat_4x8packed_su_int(T, T, I)

#define DOT(kinds, A, B, R, E)                                                               \
    FN R weft_dot_4x8packed_##kinds(uint x, uint y) {                                        \
        E##4 a = __builtin_convertvector(AS_TYPE(x, A), E##4);                               \
        E##4 p = a * __builtin_convertvector(AS_TYPE(y, B), E##4);                           \
        return p.x + p.y + p.z + p.w;                                                        \
    }                                                                                        \
    FN R weft_dot_acc_sat_4x8packed_##kinds(uint x, uint y, R c) {                           \
        return __builtin_elementwise_add_sat(weft_dot_4x8packed_##kinds(x, y), c);           \
    }
DOT(uu_uint, uchar4, uchar4, uint, uint)
DOT(ss_int, char4, char4, int, int)
DOT(us_int, uchar4, char4, int, int)
DOT(su_int, char4, uchar4, int, int)
#undef DOT
