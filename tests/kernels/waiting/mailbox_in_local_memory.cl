// The last sub-group produces, the first consumes, through one place in local memory.
//! options: -cl-std=CL3.0
//! launch: 64 / 32
//! launch: 144 / 48
//! arg n: 20
//! arg out: zeros((N[0], 20, 16), dtype=int32)
//| for group in range(N[0]):
//|     for k in range(n):
//|         for lane in range(16):
//|             out[group, k, lane] = 1000 * group + 16 * k + lane * lane
kernel void mailbox(int n, global int *out) {
    local int data[16];
    local atomic_int full;
    if (get_local_id(0) == 0)
        atomic_init(&full, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    int lane = get_sub_group_local_id(), group = get_group_id(0);
    if (get_sub_group_id() == 0) {
        for (int k = 0; k < n; k++) {
            if (lane == 0)
                while (atomic_load(&full) == 0)
                    ;
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            out[(group * n + k) * 16 + lane] = data[lane];
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            if (lane == 0)
                atomic_store(&full, 0);
        }
    } else if (get_sub_group_id() == get_num_sub_groups() - 1) {
        for (int k = 0; k < n; k++) {
            if (lane == 0)
                while (atomic_load(&full) != 0)
                    ;
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            data[lane] = 1000 * group + 16 * k + lane * lane;
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            if (lane == 0)
                atomic_store(&full, 1);
        }
    }
}
