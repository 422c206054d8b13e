//! error: arithmetic on fp128 is supported only in part

kernel void k(global float *x) {
    long double a = x[0];
    x[0] = (float)(a * x[1] + x[2]);
}
