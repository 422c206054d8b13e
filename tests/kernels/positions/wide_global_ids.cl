// Work-items whose global ids do not fit 32 bits.
//! launch: 16 / 8 + (2**32 - 8,)
//! arg out: zeros((16, 2), int64)
//| out[:, 0] = arange(16) + 2**32 - 8
//| out[:, 1] = 2**32 - 8
kernel void wide_global_ids(global ulong *out) {
    ulong g = get_global_id(0), o = get_global_offset(0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[(g - o) * 2] = g;
    out[(g - o) * 2 + 1] = o;
}
