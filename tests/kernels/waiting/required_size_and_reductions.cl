// Sub-groups of 8 work-items combine what others have left to them, in reverse order.
//! options: -cl-std=CL3.0
//! launch: 128 / 64
//! launch: 40 / 40
//! arg a: small_ints(G[0])
//! arg out: zeros(G[0], dtype=int32)
//| for group in range(N[0]):
//|     total = 0
//|     for row in reversed(range(L[0] // 8)):
//|         at = group * L[0] + row * 8
//|         total = total * 2 + int(a[at : at + 8].sum())
//|         total = (total + 2**31) % 2**32 - 2**31
//|         out[at : at + 8] = [(total + lane + 2**31) % 2**32 - 2**31 for lane in range(8)]
__attribute__((intel_reqd_sub_group_size(8)))
kernel void reductions(global const int *a, global int *out) {
    local int totals[17];
    local atomic_int ready;
    int row = get_sub_group_id(), rows = get_num_sub_groups();
    if (get_local_id(0) == 0) {
        atomic_init(&ready, rows);
        totals[rows] = 0;
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    int sum = sub_group_reduce_add(a[get_global_id(0)]);
    while (sub_group_broadcast(atomic_load(&ready), 0) != row + 1)
        ;
    int total = totals[row + 1] * 2 + sum;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    totals[row] = total;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (sub_group_elect())
        atomic_store(&ready, row);
    out[get_global_id(0)] = total + get_sub_group_local_id();
}
