// Whole work-groups return before a barrier, after which sub-groups are reduced.
//! options: -cl-std=CL3.0
//! launch: 512 / 64
//! arg a: small_ints(G[0], int32)
//! arg out: zeros(G[0], int32)
//| for group, given in zip(out.reshape(-1, 64), a.reshape(-1, 64)):
//|     if given[0] < 0:
//|         continue
//|     group[:] = given[::-1].reshape(-1, 8).max(1).repeat(8) + given.reshape(-1, 8).min(1).repeat(8)
__attribute__((intel_reqd_sub_group_size(8)))
kernel void groups_return_early(global const int *a, global int *out) {
    local int numbers[64];
    int i = get_global_id(0), l = get_local_id(0);
    if (a[i - l] < 0) return;
    numbers[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = sub_group_reduce_max(numbers[63 - l]) + sub_group_reduce_min(a[i]);
}
