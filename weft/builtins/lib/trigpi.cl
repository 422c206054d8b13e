// sinpi, cospi, tanpi: the reduction is exact, so there is one way for all arguments.
//! uses: trig_parts
//! types: floats
//! sinpi(T) cospi(T) tanpi(T)

// x * pi = quadrant * pi/2 + r
FN T weft_reduce_pi(T x, __private I *quadrant) {
    // Numbers that large are even; twice the largest ones would be infinite.
    T even = T_SIZE == 4 ? (T)(0x1p25f) : (T)(0x1p54);
    x = FABS(x) < even ? x : x - x;
    T n = RINT(x + x);
    T turns = n - (T)(4) * __builtin_elementwise_floor(n * (T)(0.25f));
    // Infinities, whose r is NaN, must not reach the conversion.
    *quadrant = CONVERT(FABS(x) < (T)(INFINITE) ? turns : (T)(0), I);
    T fraction = x - n * (T)(0.5f);
    return fraction * (T)(T_SIZE == 4 ? (T)(0x1.921fb6p+1f) : (T)(0x1.921fb54442d18p+1));
}

FN T weft_sinpi(T x) {
    I quadrant;
    T r = weft_reduce_pi(x, &quadrant);
    T result = weft_sin_of_parts(x, r, quadrant);
    return result == (T)(0) ? COPYSIGN((T)(0), x) : result;
}

FN T weft_cospi(T x) {
    I quadrant;
    T r = weft_reduce_pi(x, &quadrant);
    T result = weft_cos_of_parts(r, quadrant);
    return result == (T)(0) ? (T)(0) : result;
}

FN T weft_tanpi(T x) {
    I quadrant;
    T r = weft_reduce_pi(x, &quadrant);
    T sine = weft_sin_reduced(r), cosine = weft_cos_reduced(r);
    I odd = (quadrant & (I)(1)) != (I)(0);
    T result = (odd ? cosine : sine) / (odd ? -sine : cosine);
    // Zeros and poles have the sign of the way they are approached from.
    T pole = weft_sign_by_quadrant((T)(INFINITE), quadrant);
    T zero = weft_sign_by_quadrant(COPYSIGN((T)(0), x), quadrant);
    T exact = odd ? pole : zero;
    return r == (T)(0) ? exact : result;
}
