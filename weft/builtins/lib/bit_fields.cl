// cl_khr_extended_bit_ops: fields of bits, and bits in reverse order. A field of no bits is 0, wherever it starts.
//! open
//! types: integers
//! bitfield_insert(T, T, uint, uint) bit_reverse(T)
//! bitfield_extract_signed(T, uint, uint) bitfield_extract_unsigned(T, uint, uint)

#define ALL_BITS (T_SIZE * 8)
// The amounts of shifts are taken modulo the bits: a field of no bits is masked, not shifted.
#define SHIFT_BY(n) ((U)(U1)((n) & (ALL_BITS - 1)))
#define LOW_BITS(count) ((U)(U1)((count) ? (U1)~(U1)0 >> ((ALL_BITS - (count)) & (ALL_BITS - 1)) : (U1)0))

FN U weft_bitfield_extract_unsigned(T base, uint offset, uint count) {
    return (AS_TYPE(base, U) >> SHIFT_BY(offset)) & LOW_BITS(count);
}

FN I weft_bitfield_extract_signed(T base, uint offset, uint count) {
    U high = (AS_TYPE(base, U) << SHIFT_BY(ALL_BITS - count - offset)) & (U)(U1)(count ? (U1)~(U1)0 : (U1)0);
    return AS_TYPE(high, I) >> (I)(I1)((ALL_BITS - count) & (ALL_BITS - 1));
}

FN T weft_bitfield_insert(T base, T insert, uint offset, uint count) {
    U mask = LOW_BITS(count) << SHIFT_BY(offset);
    U moved = AS_TYPE(insert, U) << SHIFT_BY(offset);
    return AS_TYPE((U)((AS_TYPE(base, U) & ~mask) | (moved & mask)), T);
}

FN T weft_bit_reverse(T x) { return __builtin_elementwise_bitreverse(x); }
#undef SHIFT_BY
#undef LOW_BITS
#undef ALL_BITS
