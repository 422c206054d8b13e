// The log shows the line with the error.
//! error: expected ';'
kernel void syntax_error(global int *a) { a[0] = 1 }
