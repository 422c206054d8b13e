// A file with three kernels, of which one calls another as a function.
//! kernel: outer
//! launch: 12 / 3
//! sizes: any
//! arg a: arange(G[0], dtype=int32)
//| a[:] = a * 2 + 1
kernel void inner(global int *a) { a[get_global_id(0)] *= 2; }
kernel void outer(global int *a) {
    inner(a);
    a[get_global_id(0)] += 1;
}
kernel void unused(global int *a) { a[0] = 99; }
