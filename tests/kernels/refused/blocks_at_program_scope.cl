// A block that is a constant of the program is a block as well.
//! options: -cl-std=CL2.0
//! error: blocks are not supported, because device-side enqueue is not
int (^const next)(int) = ^(int x) { return x + 1; };
kernel void k(global int *out) { out[0] = next(2); }
