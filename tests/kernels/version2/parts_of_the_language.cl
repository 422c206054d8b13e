// OpenCL C 2.0: generic pointers, variables in global memory, functions of groups, atomics, pipes.
//! options: -cl-std=CL2.0
//! launch: 48 / 16
//! launch: 40 / 10
//! arg a: small_ints(G[0])
//! arg counts: zeros(2, dtype=int32)
//! arg out: pipe(zeros(0, dtype=int32), 44, 30)
//| sums = a.reshape(-1, L[0]).sum(1).repeat(L[0])
//| i = arange(G[0])
//| written = minimum(G[0], 44)
//| a[:] = a + where(i % 2, 4, 3) + sums + 200
//| counts[:] = [G[0], written]
#if __OPENCL_C_VERSION__ != 200
#error not the version that was asked for
#endif
global int offset = 200;
int twice(const int *p) { return *p * 2; }
kernel void parts_of_the_language(global int *a, global atomic_int *counts, write_only pipe int out) {
    local int three;
    int two = 2, i = get_global_id(0);
    three = 3;
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    int sum = work_group_reduce_add(a[i]), one = sub_group_any(i >= 0);
    atomic_fetch_add_explicit(&counts[0], 1, memory_order_relaxed, memory_scope_device);
    if (write_pipe(out, &sum) == 0)
        atomic_fetch_add(&counts[1], one);
    a[i] += (i % 2 ? twice(&two) : twice(&three) / 2) + offset + sum;
}
