// A call of a function that nobody defines.
//! error: calls 'missing', which is not defined
int missing(int x);
kernel void undefined_function(global int *a) { a[0] = missing(a[0]); }
