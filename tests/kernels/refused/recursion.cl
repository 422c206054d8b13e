// OpenCL C does not support recursion; only tail recursion becomes a loop.
//! error: calls 'fibonacci', which is recursive; OpenCL C does not support recursion
int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
kernel void recursion(global int *a) { a[0] = fibonacci(a[0]); }
