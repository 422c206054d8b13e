// A float or double as the nearest half.

#if defined(T_IS_FLOAT)
FN VEC(half) weft_nearest_half(T x) { return CONVERT(x, VEC(half)); }
#elif defined(T_IS_DOUBLE)
// By a float that is odd wherever it had to be rounded: it tells on which side of the middle between two halves the
// double lies, which the nearest float does not. Processors convert double to half in no other way but by a call.
FN VEC(half) weft_nearest_half(T x) {
    VEC(float) nearest = CONVERT(x, VEC(float));
    T back = CONVERT(nearest, T);
    I beyond = MASK(FABS(back) > FABS(x)), inexact = MASK((back < x) | (back > x));
    VEC(int) bits = AS_TYPE(nearest, VEC(int)) + CONVERT(beyond, VEC(int));
    bits |= CONVERT(inexact, VEC(int)) & (VEC(int))(1);
    return CONVERT(AS_TYPE(bits, VEC(float)), VEC(half));
}
#endif
