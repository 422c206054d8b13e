// Arguments of 8 and 16 bits, signed and unsigned, between wider ones.
//! launch: 8 / 4
//! sizes: any
//! arg c: -3
//! arg u: 250
//! arg l: 2**40
//! arg s: -1000
//! arg h: 65000
//! arg out: zeros(G[0], int64)
//! arg f: 0.25
//| out[:] = -3 + 250 + 2**40 - 1000 + 65000 + arange(G[0]) + 1
kernel void small_arguments(char c, uchar u, long l, short s, ushort h, global long *out, float f) {
    int i = get_global_id(0);
    out[i] = c + u + l + s + h + i + (long)(f * 4.0f);
}
