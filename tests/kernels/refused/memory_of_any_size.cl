// Private memory has a constant size.
//! error: private memory of variable size
kernel void memory_of_any_size(global int *a) {
    int *p = __builtin_alloca(a[0] * sizeof(int));
    p[a[1]] = 3;
    a[2] = p[a[3]];
}
