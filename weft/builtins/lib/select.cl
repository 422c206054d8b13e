// select: scalars choose by truth, vectors by the top bit of each lane.
//! open
//! not lane by lane
//! types: all
//! select(T, T, I) select(T, T, U)

#if N == 1
FN T weft_select(T a, T b, I c) { return c ? b : a; }
FN T weft_select(T a, T b, U c) { return c ? b : a; }
#else
FN T weft_select(T a, T b, I c) { return c < (I)(0) ? b : a; }
FN T weft_select(T a, T b, U c) { return AS_TYPE(c, I) < (I)(0) ? b : a; }
#endif
