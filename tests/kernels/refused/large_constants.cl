//! error: the constants of kernel 'k' have 1099511627776 bytes; the limit is 268435456

constant char a[1L << 40] = {1};

kernel void k(global int *x) {
    x[0] = a[x[1]];
}
