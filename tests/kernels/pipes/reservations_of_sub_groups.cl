// Sub-groups reserve packets, every second one and not the last packets; the others take what is left one by one.
//! options: -cl-std=CL3.0
//! launch: 64 / 64
//! launch: 96 / 32
//! arg in: pipe(arange(80, dtype=int32).astype('i4,i4'), 80, 30)
//! arg out: pipe(zeros(0, dtype='i4,i4'), 96)
//! arg seen: zeros(80, dtype=int32)
//! arg counts: zeros(3, dtype=int32)
//| seen[:min(G[0], 80)] = 1
//| counts[:] = [min(G[0], 80), max(G[0] - 80, 0), 0]
kernel void reservations_of_sub_groups(read_only pipe int2 in, write_only pipe int2 out, global int *seen,
                                       global int *counts) {
    int2 packet = (int2)(-1, -1);
    uint me = get_sub_group_local_id(), size = get_sub_group_size();
    if (get_sub_group_id() % 2 == 0) {
        reserve_id_t id = sub_group_reserve_read_pipe(in, size);
        if (is_valid_reserve_id(id)) {
            if (read_pipe(in, id, size - 1 - me, &packet) != 0)
                counts[2] = 1;
            sub_group_commit_read_pipe(in, id);
        }
        id = sub_group_reserve_write_pipe(out, size);
        if (is_valid_reserve_id(id)) {
            write_pipe(out, id, me, &packet);
            sub_group_commit_write_pipe(out, id);
        }
    } else
        read_pipe(in, &packet);
    if (packet.x != packet.y)
        counts[2] = 2;
    if (packet.x >= 0) {
        atomic_inc(&seen[packet.x]);
        atomic_inc(&counts[0]);
    } else
        atomic_inc(&counts[1]);
}
