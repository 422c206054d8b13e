// Nothing but a barrier.
//! launch: 8 / 4
//! arg a: arange(8, dtype=int32)
kernel void only_a_barrier(global int *a) { barrier(CLK_LOCAL_MEM_FENCE); }
