// any and all: over the top bits of the lanes.
//! open
//! not lane by lane
//! types: signed
//! any(T) all(T)

#if N == 1
FN int weft_any(T x) { return x < 0; }
FN int weft_all(T x) { return x < 0; }
#else
FN int weft_any(T x) { return __builtin_reduce_or(x) < 0; }
FN int weft_all(T x) { return __builtin_reduce_and(x) < 0; }
#endif
