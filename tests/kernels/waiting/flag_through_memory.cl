// What a sub-group finds of a flag goes through global memory before the sub-group decides to wait on.
//! options: -cl-std=CL3.0
//! launch: 64 / 32
//! launch: 90 / 45
//! arg seen: zeros((N[0], 2), dtype=int32)
//! arg out: zeros((N[0], 2), dtype=int32)
//| for group in range(N[0]):
//|     seen[group] = 7
//|     out[group] = [14, 1]
kernel void through_memory(global int *seen, global int *out) {
    local atomic_int flag, rounds;
    int group = get_group_id(0), id = get_local_id(0);
    if (id == 0) {
        atomic_init(&flag, 0);
        atomic_init(&rounds, 0);
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        do {
            seen[group * 2] = atomic_load(&flag);
            atomic_fetch_add(&rounds, 1);
        } while (seen[group * 2] == 0);
        while (seen[group * 2 + 1] == 0) {
            if (atomic_load(&flag) == 7)
                seen[group * 2 + 1] = 7;
            atomic_fetch_add(&rounds, 1);
        }
        out[group * 2] = seen[group * 2] + seen[group * 2 + 1];
        out[group * 2 + 1] = atomic_load(&rounds) > 2;
    } else if (id == 20)
        atomic_store(&flag, 7);
}
