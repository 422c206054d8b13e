// cbrt: the inverse of the cube root by steps that divide by nothing, then a last step for the root itself. Only if a
// lane is no normal number, all lanes take the way for such numbers.
//! uses: exponent
//! types: floats
//! cbrt(T)

#if T_SIZE == 4
#define LEAST 0x1p-126f
#define LARGE 0x1p120f
#define UP 0x1p24f
#define UP_BACK 0x1p-8f
#else
#define LEAST 0x1p-1022
#define LARGE 0x1p1000
#define UP 0x1p54
#define UP_BACK 0x1p-18
#endif
#define THIRD ((T1)1 / (T1)3)
#define NEXT ((T1)2 / (T1)9)

FN T weft_cbrt(T x) {
    T magnitude = FABS(x);
    I rare = weft_is_rare(magnitude);
    T a = magnitude;
    if (RARELY(rare))
        a = magnitude < (T)(LEAST) ? magnitude * (T)(UP) : magnitude;
#ifndef FP_FAST_FMA
    // The cube of a root that is a little too large must not overflow.
    I large = magnitude > (T)(LARGE);
    a = large ? a * (T)(0.125f) : a;
#endif
    // Minus a third of the bits is a first guess, right to a tenth in its cube.
#if T_SIZE == 4
    T y = AS_TYPE((I)(0x54a20000) - CONVERT(CONVERT(AS_TYPE(a, I), T) * (T)(THIRD), I), T);
#else
    U third = ((AS_TYPE(a, U) >> (U)(32)) * (U)(0x55555556UL)) >> (U)(32);
    T y = AS_TYPE(((U)(0x553eeaabUL) - third) << (U)(32), T);
#endif
    T e = MAD(-(a * y), y * y, (T)(1));
    y = MAD(y * e, POLY2(e, THIRD, NEXT, (T1)14 / (T1)81), y);
#if T_SIZE == 8
    e = MAD(-(a * y), y * y, (T)(1));
    y = MAD(y * e, POLY1(e, THIRD, NEXT), y);
#endif
    T square = y * y;
    T root = a * square;
    T excess = MAD(root * root, root, -a);
    root = MAD(excess, square * (T)(-THIRD), root);
#ifndef FP_FAST_FMA
    root = large ? root + root : root;
#endif
    T result = COPYSIGN(root, x);
    if (RARELY(rare)) {
        result = magnitude < (T)(LEAST) ? result * (T)(UP_BACK) : result;
        result = (x == (T)(0)) | !(magnitude < (T)(INFINITE)) ? x : result;
    }
    return result;
}
#undef LEAST
#undef LARGE
#undef UP
#undef UP_BACK
#undef THIRD
#undef NEXT
