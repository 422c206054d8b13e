// What atomics give back lives across barriers, in a loop.
//! launch: 16 / 8
//! sizes: any
//! arg counters: zeros(2, int32)
//! arg out: zeros(G[0], int32)
//! arg n: 3
//| out[:] = 3
//| counters[:] = 3 * L[0]
kernel void atomic_results_live_across(global int *counters, global int *out, int n) {
    local int owner[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), won = 0;
    for (int k = 0; k < n; k++) {
        owner[l] = -1;
        barrier(CLK_LOCAL_MEM_FENCE);
        int before = atomic_cmpxchg(&owner[(l + k) % items], -1, l);
        int ticket = atomic_add(&counters[get_group_id(0)], 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        won += before == -1 && owner[(l + k) % items] == l && ticket >= items * k && ticket < items * (k + 1);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = won;
}
