// Atomics on global memory by all work-items of all groups.
//! launch: 96 / 32
//! sizes: any
//! arg out: array([0, 0, 2**31 - 1, -2**31, -1, 0, 0], int32)
//! arg seen: zeros(G[0], int32)
//| i = arange(G[0])
//| out[:] = [G[0], -i.sum(), 0, i[-1], np.bitwise_and.reduce(~i & 0x80), np.bitwise_or.reduce(i), G[0]]
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
