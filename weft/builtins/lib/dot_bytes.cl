// cl_khr_integer_dot_product: vectors of four bytes.
//! open
//! not lane by lane
//! types: char
//! widths: 4
//! dot(T, T) dot(T, U) dot_acc_sat(T, T, int) dot_acc_sat(T, U, int)
//! types: uchar
//! widths: 4
//! dot(T, T) dot(T, I) dot_acc_sat(T, T, uint) dot_acc_sat(T, I, int)

#define SUM(p) (p.x + p.y + p.z + p.w)
#ifdef T_IS_SIGNED
#define SAME int
#define MIXED U
#else
#define SAME uint
#define MIXED I
#endif
FN SAME weft_dot(T a, T b) {
    VEC(SAME) p = CONVERT(a, VEC(SAME)) * CONVERT(b, VEC(SAME));
    return SUM(p);
}
FN int weft_dot(T a, MIXED b) {
    VEC(int) p = CONVERT(a, VEC(int)) * CONVERT(b, VEC(int));
    return SUM(p);
}
FN SAME weft_dot_acc_sat(T a, T b, SAME c) { return __builtin_elementwise_add_sat(weft_dot(a, b), c); }
FN int weft_dot_acc_sat(T a, MIXED b, int c) { return __builtin_elementwise_add_sat(weft_dot(a, b), c); }
#undef SAME
#undef MIXED
#undef SUM
