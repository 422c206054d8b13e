// Neighbouring work-items count into the same few places of local memory, outside loops and inside one.
//! launch: 128 / 64
//! launch: 60 / 20
//! sizes: any
//! arg keys: (arange(G[0]) * 7 % 10).astype(int32)
//! arg once: zeros(G[0] // L[0] * 16, int32)
//! arg often: zeros(G[0] // L[0] * 16, int32)
//| for g in range(G[0] // L[0]):
//|     mine = keys[g * L[0]:(g + 1) * L[0]]
//|     once[g * 16:g * 16 + 16] = bincount(mine[mine > 2], minlength=16) * 3
//|     for k in range(40):
//|         often[g * 16:g * 16 + 16] += bincount((mine + k) % 16, minlength=16).astype(int32)
kernel void atomics_hit_one_place(global const int *keys, global int *once, global int *often) {
    local int few[16], many[16];
    int key = keys[get_global_id(0)], l = get_local_id(0), n = get_local_size(0);
    for (int k = l; k < 16; k += n)
        few[k] = many[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (key > 2)
        atomic_add(&few[key], 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 40; k++)
        atomic_inc(&many[(key + k) % 16]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = l; k < 16; k += n) {
        once[get_group_id(0) * 16 + k] = few[k];
        often[get_group_id(0) * 16 + k] = many[k];
    }
}
