// 32-bit numbers that are consecutive from lane to lane and wrap through zero, where their 64-bit values are not.
//! launch: 64 / 32
//! launch: 40 / 20
//! sizes: any
//! arg a: small_ints(G[0] + 64, uint32, 0, 9)
//! arg least: 0
//! arg c: 1000
//! arg b: zeros(G[0], uint64)
//| for i in range(G[0]):
//|     u, row, s = max((i - 8) % 2**32, least), i % c, 0
//|     for j in range(int(a[i])):
//|         s += ((u + j) % 2**32) * 3 + int(a[row + j])
//|     b[i] = s
kernel void in_line_around_zero(global const uint *a, uint least, uint c, global ulong *b) {
    uint i = get_global_id(0);
    uint u = max(i - 8u, least), row = i % c;
    ulong s = 0;
    for (uint j = 0; j < a[i]; j++) s += (ulong)(u + j) * 3 + a[row + j];
    b[i] = s;
}
