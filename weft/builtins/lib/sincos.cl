// sincos: both from one reduction, unless each has a quick one of its own.
//! uses: trig
//! types: floats
//! sincos(T, T*)

FN T weft_sincos(T x, AS T *cosine) {
#if T_SIZE == 4 && defined(WEFT_FAST_RELAXED_MATH)
    *cosine = weft_quick_cos(x);
    return weft_quick_sin(x);
#else
    I quadrant;
    T r = weft_reduce(x, &quadrant);
    *cosine = weft_cos_of_parts(r, quadrant);
    return weft_sin_of_parts(x, r, quadrant);
#endif
}
