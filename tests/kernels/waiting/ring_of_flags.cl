// A token passes through all sub-groups several times, from the last one down; each adds to what it finds.
//! options: -cl-std=CL3.0
//! launch: 128 / 64
//! launch: 100 / 100
//! launch: (8, 16) / (8, 8)
//! arg rounds: 5
//! arg trace: zeros((prod(N), 40), dtype=int32)
//| for group in range(prod(N)):
//|     size = min(prod(L), prod(G) - group * prod(L))
//|     number = (size + 15) // 16
//|     for turn in range(rounds * number):
//|         trace[group, turn] = 100 * (number - 1 - turn % number) + turn
kernel void ring(int rounds, global int *trace) {
    local atomic_int token;
    local int turn;
    size_t group = get_group_id(0) + get_group_id(1) * get_num_groups(0);
    if (get_local_linear_id() == 0) {
        atomic_init(&token, (int)get_num_sub_groups() - 1);
        turn = 0;
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    int own = get_sub_group_id(), number = get_num_sub_groups();
    for (int round = 0; round < rounds; round++) {
        if (get_sub_group_local_id() == 0) {
            while (atomic_load(&token) != own)
                ;
            trace[group * 40 + turn] = 100 * own + turn;
            turn++;
            atomic_store(&token, own == 0 ? number - 1 : own - 1);
        }
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
}
