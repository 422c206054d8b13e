// sincos: both from one reduction.
//! uses: trig
//! types: floats
//! sincos(T, T*)

FN T weft_sincos(T x, AS T *cosine) {
    I quadrant;
    T r = weft_reduce(x, &quadrant);
    *cosine = weft_cos_of_parts(r, quadrant);
    return weft_sin_of_parts(x, r, quadrant);
}
