// OpenCL C has no function pointers.
//! error: pointers to functions are not allowed
int f(int x) { return x; }
kernel void function_pointer(global int *a) {
    int (*p)(int) = f;
    a[0] = p(1);
}
