// sin, cos, tan.
//! uses: trig_reduce trig_parts
//! types: floats
//! sin(T) cos(T) tan(T)
//! types: float
//! native_sin(T) native_cos(T) native_tan(T) half_sin(T) half_cos(T) half_tan(T)

#define DEFINE(prefix, reduce)                            \
    FN T PASTE(prefix, sin)(T x) {                        \
        I quadrant;                                       \
        T r = reduce(x, &quadrant);                       \
        return weft_sin_of_parts(x, r, quadrant);         \
    }                                                     \
    FN T PASTE(prefix, cos)(T x) {                        \
        I quadrant;                                       \
        T r = reduce(x, &quadrant);                       \
        return weft_cos_of_parts(r, quadrant);            \
    }                                                     \
    FN T PASTE(prefix, tan)(T x) {                        \
        I quadrant;                                       \
        T r = reduce(x, &quadrant);                       \
        return weft_tan_of_parts(x, r, quadrant);         \
    }

#if T_SIZE == 4
DEFINE(weft_native_, weft_reduce_relaxed)
DEFINE(weft_half_, weft_reduce_relaxed)
#endif
#if T_SIZE == 4 && defined(WEFT_FAST_RELAXED_MATH)
DEFINE(weft_, weft_reduce_relaxed)
#else
DEFINE(weft_, weft_reduce)
#endif
#undef DEFINE
