//! error: variable 'a' is aligned to 8192 bytes; the limit is 4096

constant int a[2] __attribute__((aligned(8192))) = {1, 2};

kernel void k(global int *x) {
    x[0] = a[x[1]];
}
