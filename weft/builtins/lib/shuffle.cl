// shuffle and shuffle2: lanes chosen by the low bits of a mask.
//! open
//! not lane by lane
//! types: all
//! widths: 2 4 8 16
//! shuffle(TM, U) shuffle2(TM, TM, U)

#define SOURCE PASTE(T1, M)
FN T weft_shuffle(SOURCE x, U mask) {
    U index = mask & (U)(M - 1);
    T result;
    for (int i = 0; i < N; ++i)
        result[i] = x[index[i]];
    return result;
}

FN T weft_shuffle2(SOURCE x, SOURCE y, U mask) {
    U index = mask & (U)(2 * M - 1);
    T result;
    for (int i = 0; i < N; ++i)
        result[i] = index[i] < M ? x[index[i] & (M - 1)] : y[index[i] & (M - 1)];
    return result;
}
#undef SOURCE
