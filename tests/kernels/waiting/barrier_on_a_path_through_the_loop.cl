// A loop in which a sub-group waits, and which all leave through a barrier of the work-group.
//! options: -cl-std=CL3.0
//! launch: 96 / 48
//! arg out: zeros(G[0], dtype=int32)
//! arg n: 3
//| out[:] = np.arange(G[0]) + 10 * n
kernel void ways(global int *out, int n) {
    local atomic_int token;
    int row = get_sub_group_id(), rows = get_num_sub_groups(), round = 0;
    if (get_local_id(0) == 0)
        atomic_init(&token, rows - 1);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    for (;;) {
        int seen = sub_group_broadcast(atomic_load(&token), 0);
        if (seen == row + round * 100 * rows) {
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            if (get_sub_group_local_id() == 0)
                atomic_store(&token, row > 0 ? seen - 1 : -1);
        } else if (seen == -1) {
            work_group_barrier(CLK_LOCAL_MEM_FENCE);
            if (++round == n)
                break;
            if (get_local_id(0) == 0)
                atomic_store(&token, rows - 1 + round * 100 * rows);
            work_group_barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    out[get_global_id(0)] = get_global_id(0) + 10 * round;
}
