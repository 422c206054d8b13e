// A work-group is one sub-group, whose functions decide how often it passes barriers, its own and those of the group.
//! options: -cl-std=CL3.0
//! launch: 64 / 16
//! launch: 32 / 8
//! arg a: small_ints(G[0], int32, 0, 9)
//! arg out: zeros(G[0], int32)
//| for first in range(0, G[0], L[0]):
//|     x = a[first:first + L[0]].copy()
//|     rounds = int(x.max())
//|     for k in range(rounds):
//|         if int(x.sum()) % 3:
//|             x = (x + np.roll(x, 1)) % 64
//|         if int(x.min()) > 9:
//|             break
//|         x = (x + x[::-1] + k) % 64
//|     out[first:first + L[0]] = x
kernel void one_sub_group_decides(global const int *a, global int *out) {
    local int t[16];
    uint l = get_local_id(0), n = get_local_size(0);
    int x = a[get_global_id(0)], rounds = sub_group_reduce_max(x);
    for (int k = 0; k < rounds; k++) {
        if (sub_group_reduce_add(x) % 3) {
            t[l] = x;
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            x = (x + t[(l + n - 1) % n]) % 64;
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (sub_group_reduce_min(x) > 9)
            break;
        t[l] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        x = (x + t[n - 1 - l] + k) % 64;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = x;
}
