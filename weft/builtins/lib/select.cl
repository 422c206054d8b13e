// select and bitselect: scalars choose by truth, vectors by the top bit of each lane.
//! types: all
//! select(T, T, I) select(T, T, U) bitselect(T, T, T)

#if N == 1
FN T weft_select(T a, T b, I c) { return c ? b : a; }
FN T weft_select(T a, T b, U c) { return c ? b : a; }
#else
FN T weft_select(T a, T b, I c) { return c < (I)(0) ? b : a; }
FN T weft_select(T a, T b, U c) { return AS_TYPE(c, I) < (I)(0) ? b : a; }
#endif
FN T weft_bitselect(T a, T b, T c) {
    U mask = AS_TYPE(c, U);
    return AS_TYPE((U)((AS_TYPE(a, U) & ~mask) | (AS_TYPE(b, U) & mask)), T);
}
