// Members at odd addresses: words, shorts and longs of packed structures in global, local and private memory, and whole
// structures that are copied.
//! launch: 12 / 4
//! sizes: 1, 3, 8, 64
//! arg a: rng.integers(0, 256, (G[0], 31), dtype=uint8)
//! arg out: zeros((G[0], 31), uint8)
//! arg sums: zeros(G[0], int64)
//| for i in range(G[0]):
//|     b = a[i].tobytes()
//|     c, w, s, l, f = struct.unpack_from("<bihqB", b)
//|     rest = bytearray(b[16:])
//|     j = (i + 1) % 15
//|     rest[j] = (rest[j] + c) % 256
//|     w2, s2, l2 = (w ^ 0x55555555), (s + 7 + 2**15) % 2**16 - 2**15, l ^ (w & 0xffffffff)
//|     out[i] = frombuffer(struct.pack("<bihqB", c, w2, s2, l2, (f + 1) % 256) + bytes(rest), uint8)
//|     sums[i] = (l2 + w2 * 3 + s2 + int(out[i, 30]) + 2**63) % 2**64 - 2**63
typedef struct __attribute__((packed)) {
    char c;
    int w;
    short s;
    long l;
    uchar f;
    uchar rest[15];
} packed;
kernel void packed_structures(global const packed *a, global packed *out, global long *sums) {
    int i = get_global_id(0);
    local packed shared[64];
    packed mine = a[i];
    mine.rest[(i + 1) % 15] += mine.c;
    shared[get_local_id(0)] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    local packed *p = shared + get_local_id(0);
    p->l ^= (uint)p->w;
    p->w ^= 0x55555555;
    p->s += 7;
    p->f++;
    out[i] = *p;
    sums[i] = (ulong)p->l + (long)p->w * 3 + p->s + p->rest[14];
}
