// Sums, minima and maxima of floating point that work-items add to in global and in local memory; all sums are
// exact, so that their order does not matter.
//! options: -cl-std=CL3.0
//! launch: 96 / 16
//! launch: 60 / 12
//! arg a: eighths(G[0])
//! arg sums: zeros(3, float32)
//! arg wide: zeros(3, float64)
//! arg groups: zeros(G[0] // L[0], float32)
//! arg t: 4
//| sums += np.array([a[a > 0].sum() - a[a < -2].sum(), a.min(), max(a.max(), 0)], float32)
//| wide += np.array([a.sum(dtype=float64), a.min(), max(a.max(), 0)])
//| groups[:] = a.reshape(-1, L[0]).sum(1)

kernel void k(global const float *a, global atomic_float *sums, global atomic_double *wide,
              global float *groups, local atomic_float *t) {
    size_t i = get_global_id(0);
    float x = a[i];
    if (get_local_id(0) == 0) atomic_init(t, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(t, x, memory_order_relaxed, memory_scope_work_group);
    if (x > 0) atomic_fetch_add(&sums[0], x);
    if (x < -2) atomic_fetch_sub_explicit(&sums[0], x, memory_order_relaxed);
    atomic_fetch_min(&sums[1], x);
    atomic_fetch_max_explicit(&sums[2], x, memory_order_acq_rel, memory_scope_device);
    atomic_fetch_add_explicit(&wide[0], (double)x, memory_order_relaxed, memory_scope_all_devices);
    atomic_fetch_min(&wide[1], (double)x);
    atomic_fetch_max(&wide[2], (double)x);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) groups[get_group_id(0)] = atomic_load(t);
}
