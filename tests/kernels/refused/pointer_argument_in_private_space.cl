// A kernel's pointers must point to an address space.
//! error: pointer arguments to kernel functions must reside in
kernel void pointer_argument_in_private_space(int *a) { a[0] = 1; }
