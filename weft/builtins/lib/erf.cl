// With tables in registers, erf of double is one of eight polynomials, around multiples of STEP; that of the last is a
// little too large, so that it ends in 1. Elsewhere erf is
// 1 - exp(-g) with a polynomial for g(x) / x = -log(erfc(x)) / x, and the difference taken as by expm1.
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

#if T_SIZE == 8 && defined(WEFT_TABLES)
#define STEP 0x1.98p-1
#define COLUMN(c, ...)                         \
    T c;                                       \
    {                                          \
        TABLE(double, 8, column) = {__VA_ARGS__}; \
        PICK(c, column, n);                       \
    }

FN T weft_erf(T x) {
    T magnitude = FABS(x);
    magnitude = magnitude > (T)(5.95) ? (T)(5.95) : magnitude;
    I n;
    T t = MAD(weft_nearest_product(magnitude, (T)(1 / STEP), &n), (T)(-STEP), magnitude);
    COLUMN(c0, 0.0, 0x1.7b00578c26037p-1, 0x1.f39bc242e43e6p-1, 0x1.ffa14948549a7p-1, 0x1.ffff2436a21dcp-1,
           0x1.ffffff6969fb8p-1, 0x1.ffffffffe202dp-1, 0x1.fffffffffffe5p-1)
    COLUMN(c1, 0x1.20dd750429b6dp+0, 0x1.32281e2fd1a92p-1, 0x1.6c7e64e7281cfp-4, 0x1.e77448fb66ba8p-9,
           0x1.6e2367dc27f97p-15, 0x1.34ecf8a3c16a4p-23, 0x1.24caf2c32516ap-33, 0x1.37b83c4bc7e25p-45)
    COLUMN(c2, 0x1.e1787e12ee8efp-63, -0x1.e7eff01c36259p-2, -0x1.2274b86833f6ep-3, -0x1.23547f9e40660p-7,
           -0x1.23c436c36fdb6p-13, -0x1.33b80bab1d5e4p-21, -0x1.5dfa962d4a023p-31, -0x1.b2b3ec1df1fe4p-43)
    COLUMN(c3, -0x1.812746b0379e8p-2, 0x1.b8e5c62387b93p-5, 0x1.efb890e5b6289p-4, 0x1.a7afa54f43bacp-7,
           0x1.26bf00867a7f8p-12, 0x1.8bd13a78660bap-20, 0x1.10ca1ff31ed10p-29, 0x1.8da4c4ba5b9e8p-41)
    COLUMN(c4, 0x1.097fc593bca9dp-48, 0x1.195fbcd644d36p-3, -0x1.92c7dbb880152p-5, -0x1.9953c90ea93b0p-7,
           -0x1.a51fb50b15871p-12, -0x1.70a0bd9a61a3dp-19, -0x1.377c7e98c49fep-28, -0x1.0c34f8a2cbb31p-39)
    COLUMN(c5, 0x1.ce2f21a03fdbdp-4, -0x1.eb0565cefabecp-5, -0x1.45477086cf6f9p-8, 0x1.085039de2129fp-7,
           0x1.c0825378fed58p-12, 0x1.081065e8785aap-18, 0x1.156649d33d31fp-27, 0x1.1c4e7f3bf254bp-38)
    COLUMN(c6, 0x1.36e904af185d4p-38, -0x1.5368d6e696d97p-6, 0x1.02047aa9d20d8p-6, -0x1.95e2153162089p-9,
           -0x1.6c3dbfe0f0b89p-12, -0x1.2d8f47a92016ap-18, -0x1.9092f4db147d0p-27, -0x1.ecdf3071b4600p-38)
    COLUMN(c7, -0x1.b82ce3281034ep-6, 0x1.3718890155c4fp-6, -0x1.8883571c0ee18p-8, 0x1.981721936c958p-13,
           0x1.c1dd1437e5a81p-13, 0x1.186bc68326a09p-18, 0x1.e12a4f1f7ec40p-27, 0x1.66e9abc664f23p-37)
    COLUMN(c8, 0x1.0852e609c1abep-30, 0x1.5824c724ff4e1p-11, -0x1.03105213c7caap-10, 0x1.1eece699ba9b2p-11,
           -0x1.94c36a86bb85cp-14, -0x1.ad694df940f93p-19, -0x1.e94e3717f1449p-27, -0x1.bfb4aebdad6a6p-37)
    COLUMN(c9, 0x1.565ba8c1ed431p-8, -0x1.f3298e9ff7ae1p-9, 0x1.8d0a3822e57a0p-10, -0x1.5888aadd20477p-12,
           0x1.bf0aab38c89cdp-16, 0x1.0f27cad45bba8p-19, 0x1.aa53a5c6357c4p-27, 0x1.e525b13a11257p-37)
    COLUMN(c10, 0x1.d219f9ff5cb6ap-25, 0x1.0108d431e34acp-11, -0x1.42009e6f4902ap-12, 0x1.f5b2d29fb0acdp-15,
           0x1.6bd818f54009dp-23, -0x1.17796512ecb59p-20, -0x1.40b01f071842ap-27, -0x1.cdacb41ffb819p-37)
    COLUMN(c11, -0x1.c050359d077eap-11, 0x1.217b1d4be820cp-11, -0x1.4d2b796560d9fp-13, 0x1.d1f33051124adp-16,
           -0x1.2b32ebcfe6bf9p-18, 0x1.c6dd5c42d29f9p-22, 0x1.a20bad3398ec1p-28, 0x1.853c42aa48bc1p-37)
    COLUMN(c12, 0x1.e3119673b35efp-21, -0x1.358bb60d0345cp-13, 0x1.74226fabf64c7p-14, -0x1.51ae643c8608ap-16,
           0x1.3a76c77b05947p-19, -0x1.09606c5723187p-23, -0x1.d7e02183d6e21p-29, -0x1.23b2ded7a3342p-37)
    COLUMN(c13, 0x1.eff8058ef51f7p-14, -0x1.f5186d2a5db42p-15, 0x1.85bb334746ea6p-21, 0x1.d2119487f2033p-19,
           -0x1.174212c558919p-21, 0x1.13e467b79146cp-26, 0x1.ca15aae62f668p-30, 0x1.81930f2c118f5p-38)
    COLUMN(c14, 0x1.1bb466cd17015p-18, 0x1.b793ad6a62bccp-16, -0x1.8d6a407ac687cp-17, 0x1.8a455ac90e4abp-20,
           -0x1.37fbbf7e6a54fp-24, 0x1.eed520d0dfde5p-28, -0x1.79930bb6ae939p-31, -0x1.d12741cb2f87fp-39)
    COLUMN(c15, -0x1.538c976ea0065p-16, 0x1.2cfdfd383c627p-18, 0x1.2125026fb7c81p-19, -0x1.c830a2a8e5603p-21,
           0x1.98acf4e32fb0bp-24, -0x1.9c40d35c7b8dap-28, 0x1.02cc1d2936981p-32, 0x1.20983e53aca87p-39)
    COLUMN(c16, 0x1.19258da83e5afp-18, -0x1.b75decf1a42dfp-19, 0x1.daa504cd112c2p-21, 0x1.519c1544b3e3ap-24,
           -0x1.d86ad7843a12fp-26, 0x1.125fde0b87287p-29, -0x1.ef49aec836229p-35, -0x1.0d0c735ecee1ep-40)
    return COPYSIGN(POLY16(t, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16), x);
}
#undef STEP
#undef COLUMN
#else

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
#endif

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
