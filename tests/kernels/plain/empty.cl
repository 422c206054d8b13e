// A kernel that does nothing.
//! launch: 8 / 4
//! sizes: any
//! arg a: arange(4, dtype=int32)
kernel void empty(global int *a) {}
