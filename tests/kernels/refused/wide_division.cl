// The code of such a division would call a function of a C compiler's library.
//! error: calls '__divti3', which is not defined; arithmetic on i128 is supported only in part

kernel void k(global long *x, global long *y) {
    _BitInt(128) a = x[0], b = y[0];
    x[0] = (long)(a / b);
}
