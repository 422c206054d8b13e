// Work-items of all sub-groups return before others wait for one another, across a barrier.
//! options: -cl-std=CL3.0
//! launch: 64 / 64
//! launch: (4, 24) / (4, 12)
//! arg out: zeros(prod(G), dtype=int32)
//| for group in range(prod(N)):
//|     for item in range(prod(L)):
//|         at = group * prod(L) + item
//|         if item % 8 != 7:
//|             out[at] = (prod(L) - 1) // 16 - item // 16 + 1
kernel void returned(global int *out) {
    local atomic_int token;
    int id = get_local_linear_id(), size = get_local_size(0) * get_local_size(1), row = id / 16;
    int at = (get_group_id(0) + get_group_id(1) * get_num_groups(0)) * size + id, last = (size - 1) / 16;
    if (id == 0)
        atomic_init(&token, last);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (id % 8 == 7)
        return;
    if (id % 16 == 0) {
        while (atomic_load(&token) != row)
            ;
        atomic_store(&token, row - 1);
    }
    out[at] = last - row + 1;
}
