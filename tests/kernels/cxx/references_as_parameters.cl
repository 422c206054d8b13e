// Parameters of a kernel may be references, whose memory is that of the object they refer to.
//! options: -cl-std=CLC++2021
//! launch: 16 / 8
//! arg all: zeros(2, int32)
//! arg factor: array([3, 4], int32)
//! arg shared: 8
//! arg out: zeros(G[0], int32)
//| all[0] = 21
//| out[:] = 3 * (arange(G[0]) // L[0]) + 4
struct Pair { int x, y; };
kernel void references_as_parameters(
    global Pair &all, const constant Pair &factor, local Pair &shared, global int *out) {
    int i = get_global_id(0);
    if (i == 5)
        all.x = 21;
    if (get_local_id(0) == 0)
        shared = {static_cast<int>(get_group_id(0)) * factor.x, factor.y};
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = shared.x + shared.y;
}
