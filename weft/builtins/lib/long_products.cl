// High parts of products of 64 bits, and saturated sums of products.
//
// Not open: scalars and vectors differ. LLVM recognizes the product of scalars, which is one instruction of most
// processors. In vectors, as in loops over work-items that run in lanes, it would take the numbers apart for it, and
// four products of 32 bits for each are faster.
//! types: long ulong
//! mul_hi(T, T) mad_hi(T, T, T) mad_sat(T, T, T)

FN T weft_mul_hi(T x, T y) {
    U a = AS_TYPE(x, U), b = AS_TYPE(y, U), low = 0xffffffffUL;
    U al = a & low, ah = a >> (U)(32), bl = b & low, bh = b >> (U)(32);
    U middle = ah * bl + ((al * bl) >> (U)(32));
#if N == 1
    U carry = al * bh + (middle & low);
#else
    // The same in a form that LLVM does not recognize.
    U carry = al * bh - (middle & ~low) + middle;
#endif
    U high = ah * bh + (middle >> (U)(32)) + (carry >> (U)(32));
#ifdef T_IS_SIGNED
    high -= AS_TYPE(x >> (T)(63), U) & b;
    high -= AS_TYPE(y >> (T)(63), U) & a;
#endif
    return AS_TYPE(high, T);
}

FN T weft_mad_hi(T x, T y, T z) { return weft_mul_hi(x, y) + z; }

// The exact x * y + z in two words; it saturates when the upper one says more than the sign.
#ifdef T_IS_SIGNED
#define MAX_VALUE ((T)(T1)((U1)~(U1)0 >> 1))
FN T weft_mad_sat(T x, T y, T z) {
    U low = AS_TYPE(x, U) * AS_TYPE(y, U);
    U wrapped = low + AS_TYPE(z, U);
    T carry = wrapped < low ? (T)(1) : (T)(0);
    T sum = AS_TYPE(wrapped, T);
    // The exact sum is top * 2^bits + sum, and fits when top is the sign extension of sum.
    T top = weft_mul_hi(x, y) + (T)(z >> (T)(63)) + carry;
    T limit = (T)(top >> (T)(63)) ^ MAX_VALUE;
    return top == (T)(sum >> (T)(63)) ? sum : limit;
}
#undef MAX_VALUE
#else
FN T weft_mad_sat(T x, T y, T z) {
    T sum = __builtin_elementwise_add_sat((T)(x * y), z);
    return weft_mul_hi(x, y) == (T)(0) ? sum : (T)(~(T1)0);
}
#endif
