//! error: invalid instruction mnemonic 'bogus'

void f(void) { __asm__ volatile("bogus %eax"); }

kernel void k(global int *x) {
    if (x[0])
        f();
}
