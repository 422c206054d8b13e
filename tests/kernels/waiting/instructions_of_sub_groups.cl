// Each sub-group runs a list of instructions: to count in a place, or to wait until a place has a value.
//! options: -cl-std=CL3.0
//! launch: 128 / 64
//! arg program: array([2, 3, 4, 1, 1, 7, 2, 0, 9, 0, 0, 0, 2, 1, 7, 1, 0, 9, 2, 2, 5, 0, 0, 0, 2, 0, 9, 1, 2, 5, 2, 3, 4, 0, 0, 0, 1, 3, 4, 2, 1, 7, 0, 0, 0, 0, 0, 0], dtype=int32)
//! arg order: array([[3, 0, 1, 2], [0, 3, 2, 1]], dtype=int32)
//! arg out: zeros((2, 4), dtype=int32)
//| out[:] = [9, 7, 5, 4]
kernel void instructions(global const int *program, global const int *order, global int *out) {
    local atomic_int places[4];
    int id = get_local_id(0), group = get_group_id(0), own = order[group * 4 + get_sub_group_id()];
    if (id < 4)
        atomic_init(places + id, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    global const int *at = program + own * 12;
    bool first = get_sub_group_local_id() == 0, run = true;
    while (run) {
        int code = at[0], place = at[1], value = at[2];
        at += 3;
        switch (code) {
        case 1:
            if (first)
                for (int k = 0; k < value; k++)
                    atomic_fetch_add(places + place, 1);
            break;
        case 2:
            if (first)
                while (atomic_load(places + place) != value)
                    ;
            break;
        default:
            run = false;
        }
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (id < 4)
        out[group * 4 + id] = atomic_load(places + id);
}
