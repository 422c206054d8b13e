// cl_khr_kernel_clock: counters that move on between reads, in loops and branches too, and never go back: for
// the work-items of a group and of a sub-group they are the same.
//! options: -cl-std=CL3.1
//! launch: 64 / 16
//! launch: 21 / 7
//! arg faults: zeros(G[0], dtype=uint32)
//! arg moved: zeros(G[0], dtype=uint32)
//! arg seen: L[0] * 8
//| moved[:] = 3
#if !defined(cl_khr_kernel_clock) || !defined(__opencl_c_kernel_clock_scope_device) || \
    !defined(__opencl_c_kernel_clock_scope_work_group) || !defined(__opencl_c_kernel_clock_scope_sub_group)
#error a feature is missing
#endif
kernel void kernel_clocks(global uint *faults, global uint *moved, local ulong *seen) {
    size_t i = get_global_id(0), l = get_local_id(0);
    // Two reads are two.
    ulong start = clock_read_device(), last = start, now = start;
    for (int n = 0; n < 100000 && now == start; n++) now = clock_read_device();
    uint found = now != start;
    // A divergent number of reads.
    uint fault = now < last;
    last = now;
    for (size_t n = 0; n < i % 5; n++) {
        now = as_ulong(clock_read_hilo_device());
        fault |= (now < last) << 1;
        last = now;
    }
    if (i & 1) {
        now = clock_read_work_group();
        fault |= (now < last) << 2;
        last = now;
    }
    // What each work-item of the group read is not after what any of them reads behind the barrier.
    seen[l] = as_ulong(clock_read_hilo_work_group());
    barrier(CLK_LOCAL_MEM_FENCE);
    now = clock_read_work_group();
    for (size_t n = 0; n < get_local_size(0); n++) fault |= (now < seen[n]) << 3;
    ulong before = sub_group_reduce_max(clock_read_sub_group());
    uint2 parts = clock_read_hilo_sub_group();
    fault |= ((((ulong)parts.hi << 32) | parts.lo) < before) << 4;
    found |= (clock_read_sub_group() >= before) << 1;
    faults[i] = fault;
    moved[i] = found;
}
