// sincos: both from one reduction.
//! uses: trig
//! types: floats
//! sincos(T, T*)

FN T weft_sincos(T x, AS T *cosine) {
    I quadrant;
#if T_SIZE == 4 && defined(WEFT_FAST_RELAXED_MATH)
    T r = weft_reduce_relaxed(x, &quadrant);
#else
    T r = weft_reduce(x, &quadrant);
#endif
    *cosine = weft_cos_of_parts(r, quadrant);
    return weft_sin_of_parts(x, r, quadrant);
}
