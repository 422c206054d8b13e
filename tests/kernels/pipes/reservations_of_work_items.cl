// Each work-item has two reservations at a time, for reading and for writing, and commits the later one first.
//! options: -cl-std=CL3.0
//! launch: 32 / 8
//! launch: 30 / 7
//! arg in: pipe(arange(100, dtype=float32), 100, 250)
//! arg out: pipe(zeros(0, dtype=float32), 130)
//! arg sums: zeros(3, dtype=int32)
//! arg rest: zeros(2, dtype=uint32)
//| got = min(G[0], 33)
//| sums[0] = got * 0
//| sums[1] = 3 * got
//| sums[2] = 3 * G[0] - 3 * got
//| rest[:] = [100 - 3 * got, 0]
kernel void reservations_of_work_items(read_only pipe float in, write_only pipe float out, global int *sums,
                                       global uint *rest) {
    reserve_id_t two = reserve_read_pipe(in, 2), one = reserve_read_pipe(in, 1);
    reserve_id_t first = reserve_write_pipe(out, 1), others = reserve_write_pipe(out, 2);
    float x[3] = {0, 0, 0};
    int read = 0;
    if (is_valid_reserve_id(two)) {
        read += 1 + read_pipe(in, two, 1, &x[0]);
        read += 1 + read_pipe(in, two, 0, &x[1]);
    }
    if (is_valid_reserve_id(one)) {
        read += 1 + read_pipe(in, one, 0, &x[2]);
        commit_read_pipe(in, one);
    }
    if (is_valid_reserve_id(two))
        commit_read_pipe(in, two);
    atomic_add(&sums[1], read);
    atomic_add(&sums[2], 3 - read);
    atomic_add(&sums[0], write_pipe(out, others, 0, &x[0]) + write_pipe(out, first, 0, &x[1]));
    atomic_add(&sums[0], write_pipe(out, others, 1, &x[2]));
    commit_write_pipe(out, others);
    commit_write_pipe(out, first);
    atomic_max(&rest[1], get_pipe_num_packets(out) % 3);
    atomic_max(&rest[0], 0);
    if (get_pipe_num_packets(in) < 100)
        atomic_max(&rest[0], 100 - 3 * min((uint)get_global_size(0), 33u));
}
