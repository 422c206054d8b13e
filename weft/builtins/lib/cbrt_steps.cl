// Cube roots of positive doubles: a third of the exponent as a first guess, then steps that triple the number
// of right bits (Halley).

FN T weft_cbrt_steps(T x, int extra) {
    // Thirds of the bits, by a product that stands for the division by three.
    U third = ((AS_TYPE(x, U) >> (U)(32)) * (U)(0x55555556UL)) >> (U)(32);
    T t = AS_TYPE((third + (U)(0x2a9f7893UL)) << (U)(32), T);
    for (int i = 0; i < 2 + extra; ++i) {
        T cube = t * t * t;
        t = t - t * ((cube - x) / (cube + cube + x));
    }
    return t;
}
