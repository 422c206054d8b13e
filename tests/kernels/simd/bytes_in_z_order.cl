// Bytes are stored in the order of a Z-order curve: addresses interleave the bits of x and y.
//! launch: (64, 32) / (8, 8)
//! launch: (24, 12) / (4, 4)
//! arg s: small_ints(G[0] * G[1], uint8, 0, 255)
//! arg d: zeros(4096, uint8)
//! arg w: G[0]
//| for y in range(G[1]):
//|     for x in range(G[0]):
//|         at = 0
//|         for bit in range(6):
//|             at |= (x >> bit & 1) << 2 * bit | (y >> bit & 1) << 2 * bit + 1
//|         d[at] = s[y * G[0] + x]
uint spread(uint x) {
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
}

kernel void bytes_in_z_order(global const uchar *s, global uchar *d, uint w) {
    uint x = get_global_id(0), y = get_global_id(1);
    d[spread(x) | spread(y) << 1] = s[y * w + x];
}
