// upsample: a high and a low half joined to an integer of twice the size.
//! open
//! types: char uchar short ushort int uint
//! upsample(T, U)

#if T_SIZE == 1
#define WIDE VEC(short)
#define UWIDE VEC(ushort)
#elif T_SIZE == 2
#define WIDE VEC(int)
#define UWIDE VEC(uint)
#else
#define WIDE VEC(long)
#define UWIDE VEC(ulong)
#endif
#ifdef T_IS_SIGNED
#define RESULT WIDE
#else
#define RESULT UWIDE
#endif
FN RESULT weft_upsample(T high, U low) {
    UWIDE joined = (UWIDE)(CONVERT(AS_TYPE(high, U), UWIDE) << (UWIDE)(T_SIZE * 8)) | CONVERT(low, UWIDE);
    return AS_TYPE(joined, RESULT);
}
#undef WIDE
#undef UWIDE
#undef RESULT
