// After sub-groups are reduced, the group passes barriers in a loop whose trip count is in memory.
//! options: -cl-std=CL3.0
//! launch: 512 / 64
//! arg a: small_ints(G[0], int32)
//! arg counts: small_ints(N[0], int32, 0, 4)
//! arg out: zeros(G[0], int32)
//| local_ids = np.arange(64)
//| for group, given, count in zip(out.reshape(-1, 64), a.reshape(-1, 64), counts):
//|     x = given.reshape(-1, 16).max(1).repeat(16) + local_ids
//|     for _ in range(count):
//|         x = (x ^ x[local_ids ^ 1]) & 1023
//|     group[:] = x
__attribute__((intel_reqd_sub_group_size(16)))
kernel void reduction_before_a_loop_that_ends_by_data(
    global const int *a, global const int *counts, global int *out) {
    local int numbers[64];
    int i = get_global_id(0), l = get_local_id(0);
    int x = sub_group_reduce_max(a[i]) + l;
    for (int k = 0; k < counts[get_group_id(0) + (x > 100000)]; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        numbers[l] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        x = (x ^ numbers[l ^ 1]) & 1023;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = x;
}
