// What is no packet of an open reservation is refused: used ids, ids of nothing, indices outside, other packet sizes.
//! options: -cl-std=CL3.0
//! launch: 4 / 4
//! arg in: pipe(arange(8, dtype=int32), 8, 20)
//! arg narrow: pipe(arange(8, dtype=int16), 8)
//! arg out: pipe(zeros(0, dtype=int32), 4)
//! arg forged: array([0, 1, 21, 22, 2**63, 2**64 - 1], dtype=uint64)
//! arg results: full(40, 9, dtype=int32)
//! arg bytes: full(8, 3, dtype=int32)
//| results[:17] = [-1, -1, -1, -1, -1, -1, 0, -1, -1, 0, 0, 0, -1, -1, 6, 1, -1]
//| results[17:20] = [4, 0, 4]
//| bytes[:2] = [0, 1]
void check(global int **results, int value) { *(*results)++ = value; }
kernel void refused_accesses(read_only pipe int in, read_only pipe int narrow, write_only pipe int out,
                             global reserve_id_t *forged, global int *results, global int *bytes) {
    if (get_global_id(0) != 0)
        return;
    for (int i = 0; i < 6; i++)
        check(&results, read_pipe(in, forged[i], 0, &bytes[7]));
    reserve_id_t id = reserve_read_pipe(in, 1);
    check(&results, read_pipe(in, id, 0, &bytes[0]));
    check(&results, read_pipe(in, id, 1, &bytes[7]));
    commit_read_pipe(in, id);
    check(&results, read_pipe(in, id, 0, &bytes[7]));
    reserve_id_t next = reserve_read_pipe(in, 1);
    commit_read_pipe(in, id); // a second time
    check(&results, read_pipe(in, next, 0, &bytes[1]));
    for (int i = 0; i < 6; i++)
        commit_read_pipe(in, forged[i]);
    check(&results, is_valid_reserve_id(reserve_read_pipe(in, 7)));
    check(&results, is_valid_reserve_id(reserve_read_pipe(in, 0)));
    check(&results, read_pipe(in, CLK_NULL_RESERVE_ID, 0, &bytes[7]));
    check(&results, read_pipe(narrow, &bytes[7]));
    check(&results, (int)get_pipe_num_packets(in));
    check(&results, is_valid_reserve_id(reserve_read_pipe(in, 6)));
    check(&results, read_pipe(in, &bytes[7]));
    int written = 0;
    for (int i = 0; i < 9; i++)
        written += write_pipe(out, &i) == 0;
    check(&results, written);
    check(&results, is_valid_reserve_id(reserve_write_pipe(out, 1)));
    check(&results, (int)get_pipe_num_packets(out));
}
