// Functions that round half to integers, by way of int: LLVM would make those of float functions of half again,
// which it then applies to one lane after the other.
//! open
//! types: half
//! floor(T) ceil(T) trunc(T) rint(T) round(T)

#define WIDE VEC(float)
// From here on every half is an integer.
#define WHOLE 1024.0f

// x where that is an integer or none at all, else `rounded` with the sign of x, which zeros keep.
FN T weft_rounded_half(T x, WIDE rounded) {
    U sign = AS_TYPE(x, U) & (U)(0x8000), bits = AS_TYPE(CONVERT(rounded, T), U) & (U)(0x7fff);
    U magnitude = AS_TYPE(x, U) & (U)(0x7fff);
    return magnitude < (U)(0x6400) ? AS_TYPE((U)(sign | bits), T) : x;
}

// What the conversion to int can take, and toward zero of it.
FN WIDE weft_small_half(T x) {
    WIDE wide = CONVERT(x, WIDE);
    return FABS(wide) < (WIDE)(WHOLE) ? wide : (WIDE)(0);
}
FN WIDE weft_cut(WIDE x) { return CONVERT(CONVERT(x, VEC(int)), WIDE); }

FN T weft_trunc(T x) { return weft_rounded_half(x, weft_cut(weft_small_half(x))); }
FN T weft_round(T x) { return weft_rounded_half(x, weft_cut(FABS(weft_small_half(x)) + (WIDE)(0.5f))); }
FN T weft_rint(T x) { return weft_rounded_half(x, (FABS(weft_small_half(x)) + (WIDE)(0x1p23f)) - (WIDE)(0x1p23f)); }
FN T weft_floor(T x) {
    WIDE wide = weft_small_half(x), cut = weft_cut(wide);
    return weft_rounded_half(x, cut > wide ? cut - (WIDE)(1) : cut);
}
FN T weft_ceil(T x) {
    WIDE wide = weft_small_half(x), cut = weft_cut(wide);
    return weft_rounded_half(x, cut < wide ? cut + (WIDE)(1) : cut);
}
#undef WIDE
#undef WHOLE
