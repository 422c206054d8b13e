// A spin lock and a flag in functions, one of which has the loop inside and one outside.
//! options: -cl-std=CL3.0
//! launch: 64 / 64
//! arg out: zeros(9, dtype=int32)
//| out[:] = [4, 3, 2, 1, 0, 0, 0, 0, 10]
void lock(local atomic_int *place) {
    int expected = 0;
    while (!atomic_compare_exchange_strong(place, &expected, 1))
        expected = 0;
}

void unlock(local atomic_int *place) { atomic_store(place, 0); }

bool is_turn(local atomic_int *token, int own) { return atomic_load(token) == own; }

kernel void functions(global int *out) {
    local atomic_int place, token;
    int row = get_local_id(0) / 16;
    if (get_local_id(0) == 0) {
        atomic_init(&place, 0);
        atomic_init(&token, 3);
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) % 16 == 0) {
        while (!is_turn(&token, row))
            ;
        lock(&place);
        out[row] = 4 - row;
        out[8] += 4 - row;
        atomic_store(&token, row - 1);
        unlock(&place);
    }
}
