// Work-items read packets of one pipe and write to another, until one is empty and the other full; around the ends.
//! options: -cl-std=CL3.0
//! launch: 64 / 16
//! launch: 48 / 5
//! arg in: pipe(arange(40, dtype=int32), 41, 100)
//! arg out: pipe(arange(3, dtype=int32), 30, 58)
//! arg seen: zeros(40, dtype=int32)
//! arg counts: zeros(6, dtype=int32)
//| seen[:] = 1
//| counts[:] = [40, G[0] - 40, 27, 13, 0, 30]
kernel void from_one_to_another(read_only pipe int in, write_only pipe int out, global int *seen, global int *counts) {
    int packet = 7;
    if (read_pipe(in, &packet) < 0) {
        atomic_inc(&counts[packet == 7 ? 1 : 5]);
        return;
    }
    atomic_inc(&counts[0]);
    atomic_inc(&seen[packet]);
    atomic_inc(&counts[write_pipe(out, &packet) == 0 ? 2 : 3]);
    atomic_max(&counts[4], (int)get_pipe_max_packets(in) - 41);
    atomic_max(&counts[5], (int)get_pipe_num_packets(out));
}
