// A shuffle in divergent code makes each work-item a sub-group of its own: each waits for the next one.
//! options: -cl-std=CL3.0
//! launch: 40 / 20
//! arg flags: zeros(G[0] + 1, dtype=int32)
//! arg out: zeros(G[0], dtype=int32)
//| for group in range(N[0]):
//|     for item in range(L[0]):
//|         flags[group * L[0] + item] = L[0] - item
//|         out[group * L[0] + item] = 3 * item if item % 3 == 0 else item
kernel void alone(global volatile atomic_int *flags, global int *out) {
    int id = get_local_id(0), at = get_global_id(0), value = id;
    if (id % 3 == 0)
        value = sub_group_shuffle(value, get_sub_group_local_id()) * 3;
    int after = 0;
    if (id < (int)get_local_size(0) - 1)
        while ((after = atomic_load(flags + at + 1)) == 0)
            ;
    out[at] = value;
    atomic_store(flags + at, after + 1);
}
