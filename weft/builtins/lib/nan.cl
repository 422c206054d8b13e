// nan: a quiet NaN with the given payload.
//! types: ushort uint ulong
//! nan(T)

#if T_SIZE == 2
FN VEC(half) weft_nan(T code) { return AS_TYPE((T)((code & (T)(0x01ff)) | (T)(0x7e00)), VEC(half)); }
#elif T_SIZE == 4
FN VEC(float) weft_nan(T code) { return AS_TYPE((code & (T)(0x003fffffU)) | (T)(0x7fc00000U), VEC(float)); }
#else
FN VEC(double) weft_nan(T code) {
    return AS_TYPE((code & (T)(0x0007ffffffffffffUL)) | (T)(0x7ff8000000000000UL), VEC(double));
}
#endif
