// Local variables belong to kernels.
//! error: non-kernel function variable cannot be declared in local address space
int f(int x) {
    local int t[4];
    t[0] = x;
    return t[0];
}
kernel void local_in_function(global int *a) { a[0] = f(a[0]); }
