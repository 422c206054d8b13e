// erf is 1 - exp(-g) with a polynomial for g(x) / x = -log(erfc(x)) / x, and the difference taken as by expm1.
// erfc: 1 - erf by a polynomial up to one; beyond, exp(-x^2) times one for exp(x^2) erfc(x) (1 + 2x).
//! uses: exp_parts
//! types: floats
//! erf(T) erfc(T)

#if T_SIZE == 4
#define MIDDLE 2.0f
#define FAR 11.0f
#else
#define MIDDLE 4.0
#define FAR 28.0
#endif

FN T weft_erf_near(T x) {
    T square = x * x;
#if T_SIZE == 4
    return x * POLY6(square, 0x1.20dd74p+0f, -0x1.81273ep-2f, 0x1.ce2cf8p-4f, -0x1.b7f90ap-6f, 0x1.5405ap-8f,
                     -0x1.a3f67ep-11f, 0x1.4968cep-14f);
#else
    return x * POLY11(square, 0x1.20dd750429b6dp+0, -0x1.812746b0379bdp-2, 0x1.ce2f21a040d14p-4, -0x1.b82ce311fa8c7p-6,
                      0x1.565bccf92a373p-8, -0x1.c02db03db14ap-11, 0x1.f9a2baa568dp-14, -0x1.f4ca4d376d366p-17,
                      0x1.b97fd1ac4707fp-20, -0x1.5c071975d1f5fp-23, 0x1.d71ab0e7da274p-27, -0x1.abad2d275b2a7p-31);
#endif
}

// erfc(x) for x >= 1.
FN T weft_erfc_far(T x) {
    x = x > (T)(FAR) ? (T)(FAR) : x;
    T t = (x - (T)(MIDDLE)) / (x + (T)(MIDDLE));
#if T_SIZE == 4
    T p = POLY8(t, 0x1.46e80ep+0f, -0x1.7bf5e8p-4f, -0x1.5407ap-3f, 0x1.4ff99ap-3f, -0x1.bc381p-5f, -0x1.0691cap-7f,
                0x1.1f4c6ap-7f, 0x1.20732p-10f, -0x1.8bd39p-10f);
    U kept = (U)(0xfffff000U);
#else
    T p = POLY20(t, 0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a28fp-3, 0x1.f7f5df66fd91ep-7, 0x1.16ecefcfa540bp-4,
                 -0x1.9ddb23c3e9f6fp-4, 0x1.7fee004e1130ep-4, -0x1.0fb06dfe2b2dbp-4, 0x1.3079edf6a2e5fp-5,
                 -0x1.0962388d0242fp-6, 0x1.49c672840a7c4p-8, -0x1.8d4a903a50023p-11, -0x1.a1df30578a911p-13,
                 0x1.3bdf5695e851p-13, -0x1.995535796fb6p-16, -0x1.784f8bd249174p-17, 0x1.7ed2ff3e9902ap-18,
                 0x1.2af098646fe96p-22, -0x1.b36cc7ce54a33p-21, 0x1.8e0ffb16b5f1fp-24, 0x1.7c66d1614693fp-24,
                 -0x1.b846bbc1cb9f3p-26);
    U kept = (U)(0xfffffffff8000000UL);
#endif
    // x^2 in two parts, of which the first is exact: exp magnifies what rounding would lose.
    T head = AS_TYPE(AS_TYPE(x, U) & kept, T), tail = x - head;
    T square = head * head, rest = tail * (x + head);
    I n;
    T e = weft_exp_parts(-square, -rest, &n) + (T)(1);
    return weft_scale_by_power(e * p / ((T)(1) + x + x), n);
}

FN T weft_erf(T x) {
    T magnitude = FABS(x);
#if T_SIZE == 4
    magnitude = magnitude > (T)(3.95f) ? (T)(3.95f) : magnitude;
    T g = POLY8(magnitude, 0x1.20dd76p+0f, 0x1.45f2fap-1f, 0x1.a4fa5cp-4f, -0x1.39cdacp-6f, -0x1.507a72p-13f,
                0x1.b503e4p-10f, -0x1.4bce1ap-11f, 0x1.ed764cp-14f, -0x1.36a01cp-17f);
    I one = (I)(127 << 23), shift = (I)(23);
#else
    magnitude = magnitude > (T)(5.95) ? (T)(5.95) : magnitude;
    T g = POLY20(magnitude, 0x1.20dd750429b6cp+0, 0x1.45f306dc9cc2bp-1, 0x1.a4f4e2a14ae79p-4, -0x1.3966856f48c73p-6,
                 -0x1.b6b765ab0bd9ap-13, 0x1.bca740b67613fp-10, -0x1.356cafe0d95e9p-11, 0x1.b546868b48be0p-16,
                 0x1.0c9676d6e87c1p-14, -0x1.e485a5903279fp-16, 0x1.27c2d6393f0fep-19, 0x1.18482117c90ebp-18,
                 -0x1.886b1cb7814d1p-19, 0x1.39484fe29d573p-20, -0x1.62eb7eb0ba134p-22, 0x1.2b56d24b94ab1p-24,
                 -0x1.7859e424029f1p-27, 0x1.57a7a4f1514bap-30, -0x1.aedcf354de6b2p-34, 0x1.4b3d1f6b8162bp-38,
                 -0x1.d5b4cf0c814c9p-44);
    I one = (I)(1023L << 52), shift = (I)(52);
#endif
    I n;
    T p = weft_exp_parts_within(-(g * magnitude), (T)(-0.0f), &n);
    T scale = AS_TYPE((n << shift) + one, T);
    return COPYSIGN(MAD(p, scale, scale - (T)(1)), x);
}

FN T weft_erfc(T x) {
    T magnitude = FABS(x);
    T far = weft_erfc_far(magnitude < (T)(1) ? (T)(1) : magnitude);
    far = x < (T)(0) ? (T)(2) - far : far;
    T near = (T)(1) - weft_erf_near(x);
    T result = magnitude < (T)(1) ? near : far;
    return x != x ? x : result;
}
#undef MIDDLE
#undef FAR
