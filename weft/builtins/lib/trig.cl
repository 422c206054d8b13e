// sin, cos, tan.
//! uses: trig_reduce trig_parts trig_quick
//! types: floats
//! sin(T) cos(T) tan(T)
//! types: float
//! native_sin(T) native_cos(T) native_tan(T) half_sin(T) half_cos(T) half_tan(T)

#define TANGENT(name, reduce)                      \
    FN T name(T x) {                               \
        I quadrant;                                \
        T r = reduce(x, &quadrant);                \
        return weft_tan_of_parts(x, r, quadrant);  \
    }

#if T_SIZE == 4
FN T weft_native_sin(T x) { return weft_quick_sin(x); }
FN T weft_native_cos(T x) { return weft_quick_cos(x); }
TANGENT(weft_native_tan, weft_reduce_relaxed)
FN T weft_half_sin(T x) { return weft_quick_sin(x); }
FN T weft_half_cos(T x) { return weft_quick_cos(x); }
FN T weft_half_tan(T x) { return weft_native_tan(x); }
#endif

#if T_SIZE == 4 && defined(WEFT_FAST_RELAXED_MATH)
FN T weft_sin(T x) { return weft_quick_sin(x); }
FN T weft_cos(T x) { return weft_quick_cos(x); }
TANGENT(weft_tan, weft_reduce_relaxed)
#else
FN T weft_sin(T x) {
    I quadrant;
    T r = weft_reduce(x, &quadrant);
    return weft_sin_of_parts(x, r, quadrant);
}

FN T weft_cos(T x) {
    I quadrant;
    T r = weft_reduce(x, &quadrant);
    return weft_cos_of_parts(r, quadrant);
}

TANGENT(weft_tan, weft_reduce)
#endif
#undef TANGENT
