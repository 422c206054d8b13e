// A barrier is the first instruction of the kernel and another one the last.
//! launch: 8 / 4
//! sizes: any
//! arg a: arange(G[0], dtype=int32)
//| a += 5
kernel void first_and_last_instruction(global int *a) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[get_global_id(0)] += 5;
    barrier(CLK_GLOBAL_MEM_FENCE);
}
