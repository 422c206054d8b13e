// cl_khr_extended_bit_ops: fields are inserted and extracted, of all bits and of none, and bits reversed.
//! options: -cl-std=CL3.0
//! launch: 64 / 16
//! launch: 99 / 9
//! arg a: (arange(G[0]) * 2654435761 % 2**32).astype(uint32)
//! arg s: zeros(G[0], dtype=int32)
//! arg b: (arange(G[0]) * 97 % 256).astype(uint8)
//! arg w: arange(G[0] * 2, dtype=uint64) * 11400714819323198485
//| n = G[0]
//| for i in range(n):
//|     offset, count = i % 29, min(i * 7 % 33, 32 - i % 29)
//|     field = (int(a[i]) >> offset) & ((1 << count) - 1)
//|     s[i] = field - (1 << count) if count and field >> (count - 1) else field
//|     mask = ((1 << count) - 1) << offset
//|     a[i] = (int(a[i]) & ~mask | (i * 0x01010101 << offset) & mask) & 0xffffffff
//|     b[i] = int(f"{int(b[i]):08b}"[::-1], 2) ^ (int(b[i]) >> 2 & 7)
//|     w[2 * i] = int(f"{int(w[2 * i]):064b}"[::-1], 2)
//|     w[2 * i + 1] = int(w[2 * i + 1]) & ~(15 << 40) | (i & 15) << 40
kernel void bit_fields(global uint *a, global int *s, global uchar *b, global ulong2 *w) {
    uint i = get_global_id(0), offset = i % 29, count = min(i * 7 % 33, 32 - offset);
    s[i] = bitfield_extract_signed(a[i], offset, count);
    a[i] = bitfield_insert(a[i], i * 0x01010101, offset, count);
    b[i] = bit_reverse(b[i]) ^ bitfield_extract_unsigned(b[i], 2, 3);
    ulong2 both = w[i];
    w[i] = (ulong2)(bit_reverse(both).x, bitfield_insert(both, (ulong2)(i), 40, 4).y);
}
