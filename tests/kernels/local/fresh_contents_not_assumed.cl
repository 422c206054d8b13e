// The first work-item initializes local memory, which other groups may have used before.
//! launch: 64 / 8
//! sizes: any
//! arg out: zeros(N[0], int32)
//| out[:] = L[0]
kernel void fresh_contents_not_assumed(global int *out) {
    local int count;
    if (get_local_id(0) == 0) count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == get_local_size(0) - 1) out[get_group_id(0)] = count;
}
