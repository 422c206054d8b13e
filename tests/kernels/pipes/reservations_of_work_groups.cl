// A work-group reserves packets for all its work-items; the id crosses barriers, in local and in private memory.
//! options: -cl-std=CL3.0
//! launch: 48 / 8
//! launch: (8, 6) / (4, 3)
//! arg in: pipe(arange(G[0] * (G[1:] or (1,))[0], dtype=int32), 60, 55)
//! arg out: pipe(zeros(0, dtype=int64), 200, 190)
//! arg seen: zeros(G[0] * (G[1:] or (1,))[0], dtype=int32)
//! arg counts: zeros(4, dtype=int32)
//| seen[:] = 1
//| counts[:] = [0, 0, len(seen), len(seen)]
kernel void reservations_of_work_groups(read_only pipe int in, write_only pipe long out, global int *seen,
                                        global int *counts) {
    local reserve_id_t shared;
    local int packets[64];
    uint me = get_local_linear_id(), size = get_local_size(0) * get_local_size(1);
    reserve_id_t own = work_group_reserve_read_pipe(in, size);
    shared = work_group_reserve_write_pipe(out, size);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!is_valid_reserve_id(own) || !is_valid_reserve_id(shared)) {
        counts[0] = 1;
        return;
    }
    // Odd work-items read for even ones.
    if (me % 2)
        for (int i = 0; i < 2; i++)
            if (read_pipe(in, own, me - i, &packets[me - i]) != 0)
                counts[0] = 2;
    if (size % 2 && me == size - 1)
        read_pipe(in, own, me, &packets[me]);
    work_group_commit_read_pipe(in, own);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&seen[packets[me]]);
    long twice = packets[size - 1 - me] * 2L;
    if (write_pipe(out, shared, me, &twice) != 0)
        counts[1] = 1;
    if (read_pipe(in, own, 0, &packets[me]) == 0)
        counts[1] = 2;
    work_group_commit_write_pipe(out, shared);
    atomic_inc(&counts[2]);
    if (me == 0)
        atomic_max(&counts[3], (int)get_pipe_num_packets(out));
}
