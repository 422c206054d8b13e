// Constants are seen as vectors of other elements: numbers as bytes, bytes as a number, a float's bits.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints((G[0], 4), uint8)
//! arg out: zeros((G[0], 2), uint32)
//| a[:] += frombuffer(uint32(19088743).tobytes(), uint8)
//| out[:, 0] = uint32(0x04030201) + arange(G[0]).astype(uint32)
//| out[:, 1] = (a[:, 0] ^ 0x80).astype(uint32) + uint32(0x3f80)
kernel void constant_reinterpreted(global uchar4 *a, global uint2 *out) {
    int i = get_global_id(0);
    uchar4 bytes;
    bytes = as_uchar4(19088743u);
    a[i] += bytes;
    ushort2 halves;
    halves = as_ushort2(1.0f);
    out[i] = (uint2)(as_uint((uchar4)(1, 2, 3, 4)) + i, (a[i].x ^ 0x80u) + halves.y);
}
