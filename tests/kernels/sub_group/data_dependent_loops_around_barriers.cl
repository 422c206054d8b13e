// A number in memory determines how often a group passes a barrier; sub-groups are reduced in between.
//! options: -cl-std=CL3.0
//! launch: 512 / 128
//! arg counts: small_ints(N[0], int32, 0, 5)
//! arg out: zeros(G[0], int32)
//| for group, count in zip(out.reshape(-1, 128), counts):
//|     x = np.arange(128)
//|     for _ in range(count):
//|         x = x + (x.reshape(-1, 16).sum(1).repeat(16)[::-1] & 1023)
//|     group[:] = x
__attribute__((intel_reqd_sub_group_size(16)))
kernel void loops_around_barriers_end_by_data(global const int *counts, global int *out) {
    local int sums[128];
    int l = get_local_id(0), x = l;
    for (int k = 0; k < counts[get_group_id(0) + (x < 0)]; k++) {
        sums[l] = sub_group_reduce_add(x);
        barrier(CLK_LOCAL_MEM_FENCE);
        x += sums[127 - l] & 1023;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = x;
}
