//! error: calls 'missing', which is not defined

kernel void k(global int *x) {
    __asm__ volatile("call missing");
}
