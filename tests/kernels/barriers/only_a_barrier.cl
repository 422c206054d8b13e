// Nothing but a barrier.
//! launch: 8 / 4
//! sizes: any
//! arg a: arange(G[0], dtype=int32)
kernel void only_a_barrier(global int *a) { barrier(CLK_LOCAL_MEM_FENCE); }
