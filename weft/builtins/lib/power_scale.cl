// A scale for squares that must neither overflow nor underflow.
//! once

// A power of two that brings the largest component near one; 1 for zero, infinity and NaN.
FN double weft_scale(double largest) {
    long exponent = (AS_TYPE(largest, long) >> 52) & 0x7ff;
    long inverse = exponent == 0 ? 2044 : exponent == 0x7ff ? 1023 : exponent == 2046 ? 1 : 2046 - exponent;
    return AS_TYPE(inverse << 52, double);
}
