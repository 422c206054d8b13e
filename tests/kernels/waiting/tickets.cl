// A lock with tickets: the tickets are drawn in order, but the first one is called when all have drawn.
//! options: -cl-std=CL1.2
//! launch: 128 / 64
//! arg order: zeros(G[0] // 16, dtype=int32)
//| for group in range(N[0]):
//|     order[group * 4 : (group + 1) * 4] = np.arange(4) * 10 + 1
kernel void tickets(global int *order) {
    local volatile int next, called, entered;
    if (get_local_id(0) == 0) {
        next = 0;
        called = -1;
        entered = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) % 16 == 0) {
        int ticket = atomic_inc(&next);
        if (ticket == 0) {
            while (atomic_or(&next, 0) != (int)get_local_size(0) / 16)
                ;
            atomic_xchg(&called, 0);
        }
        while (called != ticket)
            ;
        int at = entered;
        entered = at + 1;
        order[get_group_id(0) * 4 + ticket] = at * 10 + 1;
        called = ticket + 1;
    }
}
