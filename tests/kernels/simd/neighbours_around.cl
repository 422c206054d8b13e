// Neighbours in a ring: the last element is the neighbour of the first.
//! launch: 128 / 32
//! launch: 75 / 25
//! launch: 16 / 4
//! launch: 3 / 1
//! sizes: any
//! arg s: small_ints(G[0])
//! arg d: zeros(G[0] * 4, int32)
//! arg bytes: (arange(G[0]) * 37 % 251).astype(uint8)
//! arg n: G[0]
//! arg half_n: max(G[0] // 2, 1)
//| o, x = d.reshape(4, n), arange(n)
//| o[0] = s[(x + 1) % n] - 2 * s[x] + s[(x - 1) % n]
//| o[1] = sum(k * bytes[(x + k - 3) % n].astype(int32) for k in range(9))
//| o[2] = s[(x + 1) % half_n] - s[x % half_n]
//| o[3] = s[(x + 5) % n] + s[(x + n) % half_n]
kernel void neighbours_around(global const int *s, global int *d, global const uchar *bytes, int n, int half_n) {
    int x = get_global_id(0), sum = 0;
    d[x] = s[(x + 1) % n] - 2 * s[x] + s[(x - 1 + n) % n];
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int k = 0; k < 9; k++)
        sum += k * bytes[(x + k - 3 + n) % n];
    d[x + n] = sum;
    barrier(CLK_GLOBAL_MEM_FENCE);
    d[x + 2 * n] = s[(x + 1) % half_n] - s[x % half_n];
    barrier(CLK_GLOBAL_MEM_FENCE);
    d[x + 3 * n] = s[(uint)(x + 5) % (uint)n] + s[(x + n) % half_n];
}
