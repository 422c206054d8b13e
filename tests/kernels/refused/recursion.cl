// OpenCL C has no recursion.
//! error: recursi
int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
kernel void recursion(global int *a) { a[0] = factorial(a[0]); }
