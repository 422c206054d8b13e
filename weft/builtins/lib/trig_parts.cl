// Sine, cosine and tangent of a reduced angle, by polynomials, chosen by quadrant.

FN T weft_sin_reduced(T r) {
    T square = r * r;
#if T_SIZE == 4
    T p = POLY2(square, -0x1.555546p-3f, 0x1.11073ap-7f, -0x1.99438p-13f);
#else
    T p = POLY5(square, -0x1.5555555555548p-3, 0x1.111111110f7c7p-7, -0x1.a01a019bfcc44p-13, 0x1.71de3566d469dp-19,
                -0x1.ae5e59cb04386p-26, 0x1.5d8f98114d2f1p-33);
#endif
    return MAD(r * square, p, r);
}

FN T weft_cos_reduced(T r) {
    T square = r * r;
#if T_SIZE == 4
    T p = POLY2(square, 0x1.55554ap-5f, -0x1.6c0c32p-10f, 0x1.99eb3ep-16f);
#else
    T p = POLY5(square, 0x1.555555555554bp-5, -0x1.6c16c16c14f88p-10, 0x1.a01a019c8365ep-16, -0x1.27e4f7ea1bd84p-22,
                0x1.1ee9d7417c22fp-29, -0x1.8fa45dd13999fp-37);
#endif
    return MAD(square * square, p, MAD(square, (T)(-0.5f), (T)(1)));
}

// Negative where bit 1 of `quadrant` is set.
FN T weft_sign_by_quadrant(T x, I quadrant) {
    U sign = (AS_TYPE(quadrant, U) & (U)(2)) << (U)(T_SIZE * 8 - 2);
    return AS_TYPE(AS_TYPE(x, U) ^ sign, T);
}

FN T weft_sin_of_parts(T x, T r, I quadrant) {
    T sine = weft_sin_reduced(r), cosine = weft_cos_reduced(r);
    T result = weft_sign_by_quadrant((quadrant & (I)(1)) != (I)(0) ? cosine : sine, quadrant);
    // The polynomial's last sum loses the sign of zero.
    return x == (T)(0) ? x : result;
}

FN T weft_cos_of_parts(T r, I quadrant) {
    T sine = weft_sin_reduced(r), cosine = weft_cos_reduced(r);
    T result = (quadrant & (I)(1)) != (I)(0) ? sine : cosine;
    return weft_sign_by_quadrant(result, quadrant + (I)(1));
}

FN T weft_tan_of_parts(T x, T r, I quadrant) {
    T sine = weft_sin_reduced(r), cosine = weft_cos_reduced(r);
    I odd = (quadrant & (I)(1)) != (I)(0);
    T result = (odd ? cosine : sine) / (odd ? -sine : cosine);
    return x == (T)(0) ? x : result;
}
