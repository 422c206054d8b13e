// bitselect: each bit from the second where the third has ones.
//! open
//! types: all
//! bitselect(T, T, T)

FN T weft_bitselect(T a, T b, T c) {
    U mask = AS_TYPE(c, U);
    return AS_TYPE((U)((AS_TYPE(a, U) & ~mask) | (AS_TYPE(b, U) & mask)), T);
}
