// A kernel without arguments.
//! launch: 8 / 4
//! sizes: any
kernel void no_arguments(void) {
    local int t[1024];
    t[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
}
