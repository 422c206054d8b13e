// Atomic operations: the OpenCL built-ins, clang's __opencl_atomic and __scoped_atomic forms.

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

kernel void classic_atomics(volatile global int *a, volatile local uint *b) {
    atomic_add(a, 1);
    atomic_inc(a + 1);
    atomic_min(b, 3u);
    a[2] = atomic_cmpxchg(a, 1, 2);
    a[3] = atomic_xchg(a + 1, 7);
    b[1] = atomic_or(b, 0x80u);
}

kernel void read_modify_write(global int *a, global uint *u, global long *l) {
    __scoped_atomic_fetch_add(a, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    __scoped_atomic_fetch_sub(a, 2, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_WRKGRP);
    __scoped_atomic_fetch_and(a, 3, __ATOMIC_RELEASE, __MEMORY_SCOPE_WVFRNT);
    __scoped_atomic_fetch_or(a, 4, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_SINGLE);
    __scoped_atomic_fetch_xor(a, 5, __ATOMIC_SEQ_CST, __MEMORY_SCOPE_SYSTEM);
    __scoped_atomic_fetch_nand(a, 5, __ATOMIC_SEQ_CST, __MEMORY_SCOPE_SYSTEM);
    __scoped_atomic_fetch_max(a, 6, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    __scoped_atomic_fetch_min(u, 7u, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    l[1] = __scoped_atomic_exchange_n(l, 9, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_SYSTEM);
}

kernel void atomic_loads_and_stores(global int *a, local ulong *b, global float *f) {
    a[1] = __scoped_atomic_load_n(a, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE);
    __scoped_atomic_store_n(a, 3, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
    b[1] = __atomic_load_n(b, __ATOMIC_SEQ_CST);
    __atomic_store_n(b, 5, __ATOMIC_RELAXED);
    __atomic_store(f, f + 1, __ATOMIC_SEQ_CST);
    __scoped_atomic_fetch_add(f, 2.0f, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

kernel void compare_exchange(global int *a, global long *l) {
    int expected = 3;
    a[1] = __atomic_compare_exchange_n(a, &expected, 4, 0, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);
    a[2] = __atomic_compare_exchange_n(a, &expected, 4, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    long wide = 0;
    l[1] = __scoped_atomic_compare_exchange_n(l, &wide, 4, 1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_WRKGRP);
}

kernel void runtime_ordering(global int *a, int order) {
    a[1] = __atomic_fetch_add(a, 1, order);
    a[2] = __atomic_load_n(a, order);
}

kernel void fences(global int *a) {
    a[0] = 1;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    a[1] = 2;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __scoped_atomic_thread_fence(__ATOMIC_ACQ_REL, __MEMORY_SCOPE_WRKGRP);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    a[2] = 3;
}

kernel void spin_lock(volatile global int *lock, global int *data) {
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
        ;
    data[0]++;
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

kernel void float_atomics(global double *d, global float *f) {
    __atomic_fetch_sub(d, 2.0, __ATOMIC_SEQ_CST);
    __atomic_fetch_max(f, 3.0f, __ATOMIC_RELAXED);
    __atomic_fetch_min(d, 4.0, __ATOMIC_ACQ_REL);
}
