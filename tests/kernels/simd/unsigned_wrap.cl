// Unsigned indices of 32 bits that wrap around in the middle of the lanes, forwards and backwards, in a loop.
//! launch: 64 / 32
//! launch: 21 / 7
//! sizes: any
//! arg a: arange(256, dtype=int32)
//! arg turn: uint32(2**32 - 20)
//! arg out: zeros(G[0] * 2, int32)
//| i = arange(G[0])
//| first = array([sum(int(a[(x + k * 3 + 2**32 - 20) % 2**32 % 256]) for k in range(5)) for x in i])
//| second = array([sum(int(a[(40 - x - k + 2**32) % 2**32 % 256]) for k in range(5)) for x in i])
//| out[0::2] = first; out[1::2] = second
kernel void unsigned_wrap(global const int *a, uint turn, global int *out) {
    ulong i = get_global_id(0);
    int up = 0, down = 0;
    for (uint k = 0; k < 5; k++) {
        up += a[(i + k * 3 + turn & 0xffffffffUL) % 256];
        down += a[(40 - i - k & 0xffffffffUL) % 256];
    }
    out[2 * i] = up;
    out[2 * i + 1] = down;
}
