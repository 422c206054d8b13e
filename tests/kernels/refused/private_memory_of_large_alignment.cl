//! error: is aligned to 256 bytes; the limit is 128

kernel void k(global int *x) {
    __attribute__((aligned(256))) private int a[64];
    a[x[0]] = x[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[0] = a[x[2]];
}
