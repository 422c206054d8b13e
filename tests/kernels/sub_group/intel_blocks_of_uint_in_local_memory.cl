// The names without a suffix, which are of uint, read and write blocks in local memory too.
//! launch: 64 / 16
//! launch: (16, 4) / (8, 2)
//! arg a: small_ints((prod(G), 8), uint32, 0, 1000)
//! arg r: zeros((prod(G), 8), uint32)
//! arg t: prod(L) * 8 * 4
//| r[:] = (a.reshape(-1, 8, 8) * 3)[:, ::-1].reshape(-1, 8)
__attribute__((intel_reqd_sub_group_size(8)))
kernel void blocks(global const uint *a, global uint *r, local uint *t) {
    uint group = (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * get_num_sub_groups() + get_sub_group_id();
    local uint *own = t + get_sub_group_id() * 64;
    a += group * 64;
    r += group * 64;
    intel_sub_group_block_write(own, intel_sub_group_block_read(a));
    intel_sub_group_block_write(own + 8, intel_sub_group_block_read(a + 8));
    intel_sub_group_block_write2(own + 16, intel_sub_group_block_read2(a + 16));
    intel_sub_group_block_write4(own + 32, intel_sub_group_block_read4(a + 32));
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    uint8 x = intel_sub_group_block_read8(own) * 3;
    uint4 y = intel_sub_group_block_read4(own + 32) * 3;
    x.s45 = intel_sub_group_block_read2(own + 32) * 3;
    x.s67 = y.zw;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    intel_sub_group_block_write8(own, x.s76543210);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 8; i++)
        intel_sub_group_block_write(r + 8 * i, intel_sub_group_block_read(own + 8 * i));
}
