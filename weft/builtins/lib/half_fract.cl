// fract of half: at most the largest half below one, also where the fraction would round to it.
//! open
//! types: half
//! fract(T, T*)

FN T weft_fract(T x, AS T *whole) {
    VEC(float) wide = CONVERT(x, VEC(float));
    VEC(float) part = __builtin_elementwise_floor(wide), most = (VEC(float))(0x1.ffcp-1f);
    *whole = CONVERT(part, T);
    VEC(float) rest = wide - part;
    rest = rest > most ? most : rest;
    rest = FABS(wide) == (VEC(float))(INFINITE) ? (VEC(float))(0) : rest;
    // The fraction of -0 is -0.
    return CONVERT(wide == (VEC(float))(0) ? wide : rest, T);
}
