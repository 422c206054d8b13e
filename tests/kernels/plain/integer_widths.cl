// Arithmetic that wraps in 8, 16, 32 and 64 bits, signed and unsigned.
//! launch: 64 / 8
//! sizes: any
//! arg a: small_ints(G[0], int64, -2**40, 2**40)
//! arg c: zeros(G[0], int8)
//! arg s: zeros(G[0], uint16)
//! arg i: zeros(G[0], int32)
//! arg l: zeros(G[0], uint64)
//| c[:] = (a * 7).astype(int8)
//| s[:] = (a * 3).astype(uint16)
//| i[:] = (a ^ (a >> 3)).astype(int32)
//| l[:] = (a.astype(uint64) >> uint64(5)) * uint64(0x9E3779B97F4A7C15)
kernel void integer_widths(global const long *a, global char *c, global ushort *s, global int *i, global ulong *l) {
    size_t k = get_global_id(0);
    c[k] = (char)((char)a[k] * (char)7);
    s[k] = (ushort)((ushort)a[k] * (ushort)3);
    i[k] = (int)(a[k] ^ (a[k] >> 3));
    l[k] = ((ulong)a[k] >> 5) * 0x9E3779B97F4A7C15UL;
}
