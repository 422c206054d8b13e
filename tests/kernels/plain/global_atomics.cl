// Atomics on global memory by all work-items of all groups.
//! launch: 96 / 32
//! arg out: array([0, 0, 2**31 - 1, -2**31, -1, 0, 0], int32)
//! arg seen: zeros(96, int32)
//| out[:] = [96, -sum(range(96)), 0, 95, 128, 127, 96]
//| seen[:] = 1
kernel void global_atomics(global int *out, global int *seen) {
    int i = get_global_id(0);
    int ticket = atomic_inc(&out[0]);
    atomic_sub(&out[1], i);
    atomic_min(&out[2], i);
    atomic_max(&out[3], i);
    atomic_and(&out[4], ~i & 0x80);
    atomic_or(&out[5], i);
    int old = out[6];
    while (true) {
        int found = atomic_cmpxchg(&out[6], old, old + 1);
        if (found == old) break;
        old = found;
    }
    seen[ticket] = 1;
}
