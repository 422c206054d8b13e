// Varying conditions and a uniform one are used again after barriers, with and without lanes for all work-items.
//! launch: 96 / 32
//! launch: 42 / 7
//! sizes: any
//! arg data: (arange(G[0]) * 7 % 23).astype(int32)
//! arg limit: int32(40)
//! arg out: zeros(G[0], int32)
//| i = arange(G[0])
//| l = i % L[0]
//| odd = data % 3 == 1
//| inside = (i > 4) & (i < limit)
//| beside = i - l + (l + 1) % L[0]
//| value = where(inside, data[beside] * 2, data[beside])
//| other = value[beside]
//| out[:] = where(odd & ~inside, other + 100, where(inside, other - value, -1))
kernel void conditions_across_barriers(global const int *data, int limit, global int *out) {
    local int shared[1024];
    int i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    shared[l] = data[i];
    bool odd = data[i] % 3 == 1;
    bool inside = i > 4 && i < limit;
    barrier(CLK_LOCAL_MEM_FENCE);
    int value = shared[(l + 1) % n];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (inside)
        value *= 2;
    shared[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = shared[(l + 1) % n];
    int found = -1;
    if (odd && !inside)
        found = other + 100;
    else if (inside)
        found = other - value;
    out[i] = found;
}
