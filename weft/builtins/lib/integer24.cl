// Multiplication of 24-bit integers: the product of what fits in 24 bits is the ordinary one.
//! open
//! types: int uint
//! mul24(T, T) mad24(T, T, T)

FN T weft_mul24(T x, T y) { return AS_TYPE(AS_TYPE(x, U) * AS_TYPE(y, U), T); }
FN T weft_mad24(T x, T y, T z) { return AS_TYPE(AS_TYPE(x, U) * AS_TYPE(y, U) + AS_TYPE(z, U), T); }
