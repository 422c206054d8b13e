// Atomic functions of C11 count in local and global memory, by the same generic pointers.
//! options: -cl-std=CL3.0
//! launch: 64 / 16
//! launch: 63 / 9
//! sizes: any
//! arg counts: zeros(N[0] + 1, dtype=int32)
//! arg largest: zeros(2, dtype=int32)
//| i = arange(G[0])
//| even = (i % 2 == 0).reshape(-1, L[0])
//| counts[:-1] = even.sum(1)
//| counts[-1] = (i % 2).sum()
//| largest[0] = G[0] - 1
//| largest[1] = N[0]
void count(volatile atomic_int *p) {
    atomic_fetch_add_explicit(p, 1, memory_order_relaxed, memory_scope_device);
}
kernel void atomics_of_generic_pointers(volatile global atomic_int *counts, volatile global atomic_int *largest) {
    local atomic_int even;
    local atomic_flag first;
    int i = get_global_id(0), groups = get_num_groups(0);
    if (get_local_id(0) == 0) {
        atomic_init(&even, 0);
        atomic_flag_clear(&first);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    count(i % 2 ? (volatile atomic_int *)(counts + groups) : (volatile atomic_int *)&even);
    volatile atomic_flag *flag = &first;
    if (!atomic_flag_test_and_set_explicit(flag, memory_order_acq_rel, memory_scope_work_group))
        count(largest + 1);
    int expected = atomic_load(largest), *old = &expected;
    while (expected < i && !atomic_compare_exchange_strong(largest, old, i))
        ;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_store((volatile atomic_int *)(counts + get_group_id(0)), atomic_load(&even));
}
