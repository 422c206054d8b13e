// Each sub-group waits for the one after it, in a kernel that calls no function of sub-groups.
//! options: -cl-std=CL3.0
//! launch: 256 / 128
//! launch: 100 / 64
//! launch: 80 / 80
//! launch: 32 / 16
//! arg flags: zeros(G[0] // 16 + 1, dtype=int32)
//! arg out: zeros(G[0], dtype=int32)
//| for group in range(N[0]):
//|     start, end = group * L[0], min((group + 1) * L[0], G[0])
//|     last = (end - start - 1) // 16
//|     for item in range(start, end):
//|         out[item] = last - (item - start) // 16 + 1
//|         flags[item // 16] = 1
kernel void reverse_order(global volatile atomic_int *flags, global int *out) {
    int row = get_local_id(0) / 16, last = (get_local_size(0) - 1) / 16;
    global volatile atomic_int *own = flags + get_global_id(0) / 16;
    int count = 1;
    if (get_local_id(0) % 16 == 0 && row < last) {
        while (atomic_load(own + 1) == 0)
            ;
        count = out[get_global_id(0) + 16] + 1;
    } else {
        count = last - row + 1;
    }
    out[get_global_id(0)] = count;
    if (get_local_id(0) % 16 == 0)
        atomic_store(own, 1);
}
