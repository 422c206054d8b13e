// Functions of numbers that only some work-items load: those of the others must not matter.
//! launch: 32 / 16
//! launch: 21 / 7
//! sizes: any
//! tolerance: 1e-5
//! arg out: zeros(G[0], float32)
//! arg a: small_ints(G[0])
//! arg x: eighths(G[0])
//| out[:] = where(a > 2, exp(x) + sin(x), 0)
kernel void functions_of_some_work_items(global float *out, global const int *a, global const float *x) {
    int gid = get_global_id(0);
    if (a[gid] > 2)
        out[gid] = exp(x[gid]) + sin(x[gid]);
}
