// native_powr and half_powr: 2^(y * log2(x)) without more bits on the way.
//! uses: exp log
//! types: float
//! native_powr(T, T) half_powr(T, T)

#if T_SIZE == 4
FN T weft_native_powr(T x, T y) { return weft_exp2(y * weft_log2(x)); }
FN T weft_half_powr(T x, T y) { return weft_native_powr(x, y); }
#endif
