// Behind the barrier the loop begins in the middle: two loops with one latch, in which the inner one may be left.
//! launch: 32 / 16
//! launch: 35 / 7
//! sizes: any
//! arg out: arange(G[0], dtype=uint32)
//! arg path: array([2, 14, 2, 1, 0, 2, 1, 1, 5, 2, 3, 1, 1, 4], uint32)
//| for turn in path[path[0]:path[1]]:
//|     if turn != 1:
//|         out[:] = out * 3 + 5
kernel void barrier_in_one_case(global uint *out, global const uint *path) {
    uint gid = get_global_id(0);
    uint i = path[0], end = path[1];
    for (; i != end; i++) {
        switch (path[i & 15u]) {
        case 1:
            break;
        case 2:
            barrier(CLK_LOCAL_MEM_FENCE);
        default:
            out[gid] = out[gid] * 3u + 5u;
        }
    }
}
