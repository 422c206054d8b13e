// modf and fract: a number's whole part and fraction, one of them through a pointer.
//! open
//! types: floats
//! modf(T, T*) fract(T, T*)

FN T weft_modf(T x, AS T *whole) {
    T part = __builtin_elementwise_trunc(x);
    *whole = part;
    T rest = FABS(x) == (T)(INFINITE) ? (T)(0) : x - part;
    return COPYSIGN(rest, x);
}

// At most the largest number below one, also where x - floor(x) would round to it.
FN T weft_fract(T x, AS T *whole) {
    T part = __builtin_elementwise_floor(x);
    *whole = part;
    T most = T_SIZE == 4 ? (T)(0x1.fffffep-1f) : (T)(0x1.fffffffffffffp-1);
    T rest = x - part;
    rest = rest > most ? most : rest;
    rest = FABS(x) == (T)(INFINITE) ? (T)(0) : rest;
    // The fraction of -0 is -0.
    return x == (T)(0) ? x : rest;
}
