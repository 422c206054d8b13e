// Intel's reads and writes of blocks in global and local memory: a row of the sub-group for each component. The
// functions of sub-groups come with the extension, in OpenCL C 1.2 too.
//! launch: 64 / 16
//! launch: (16, 4) / (8, 2)
//! arg a: small_ints((prod(G), 8), uint32, 0, 1000)
//! arg d: small_ints((prod(G), 16), uint8, 0, 200)
//! arg r: zeros((prod(G), 8), uint32)
//! arg w: zeros((prod(G), 2), uint64)
//! arg e: zeros((prod(G), 16), uint8)
//! arg t: prod(L) * 4
//| g = a.reshape(-1, 8, 8)
//| r[:] = (g + 1)[:, ::-1].reshape(-1, 8)
//| w[:] = (g[:, :2].astype(uint64) << 33).reshape(-1, 2)
//| e[:] = roll(d.reshape(-1, 16, 8), 1, 1).reshape(-1, 16)
__attribute__((intel_reqd_sub_group_size(8)))
kernel void blocks(global const uint *a, global const uchar *d, global uint *r, global ulong *w, global uchar *e,
                   local ushort *t) {
    uint groups = get_num_sub_groups(), size = get_max_sub_group_size();
    uint group = (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * groups + get_sub_group_id();
    uint8 x = intel_sub_group_block_read8(a + group * size * 8);
    intel_sub_group_block_write_ui4(r + group * size * 8, x.s7654 + 1);
    intel_sub_group_block_write2(r + group * size * 8 + size * 4, x.s32 + 1);
    intel_sub_group_block_write(r + group * size * 8 + size * 6, x.s1 + 1);
    intel_sub_group_block_write_ui(r + group * size * 8 + size * 7, x.s0 + 1);
    intel_sub_group_block_write_ul2(w + group * size * 2, convert_ulong2(x.s01) << 33);
    uchar16 y = intel_sub_group_block_read_uc16(d + group * size * 16);
    local ushort *own = t + get_sub_group_id() * size * 2;
    intel_sub_group_block_write_us2(own, convert_ushort2(y.sef));
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    y.sef = convert_uchar2(intel_sub_group_block_read_us2(own));
    intel_sub_group_block_write_uc16(e + group * size * 16, (uchar16)(y.sf, y.s0, y.s1, y.s2, y.s3456789a, y.sbcde));
}
