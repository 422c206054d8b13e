// Two barriers with nothing between them, and three.
//! launch: 8 / 8
//! sizes: any
//! arg a: arange(G[0], dtype=int32)
//| a[:] = a[::-1].copy() * 2
kernel void two_in_a_row(global int *a) {
    int l = get_local_id(0), items = get_local_size(0);
    int v = a[items - 1 - l];
    barrier(CLK_GLOBAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = v;
    barrier(CLK_GLOBAL_MEM_FENCE);
    barrier(CLK_GLOBAL_MEM_FENCE);
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[l] *= 2;
}
