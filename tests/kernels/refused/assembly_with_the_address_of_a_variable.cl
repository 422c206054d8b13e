//! error: invalid operand for inline asm constraint 'i'

constant int c[4] = {1, 2, 3, 4};

kernel void k(global ulong *x) {
    __asm__("mov %1, %0" : "=r"(x[0]) : "i"(&c[1]));
}
