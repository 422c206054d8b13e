// Each iteration stores what the next one loads, until the index has wrapped around.
//! launch: 4 / 2
//! launch: 1 / 1
//! arg a: arange(200, dtype=uint32) * 7
//! arg t: arange(G[0] * 8, dtype=uint32)
//! arg k: 5
//! arg b: zeros(G[0] * 96, uint32)
//| for i in range(G[0]):
//|     for j in range(96):
//|         b[i * 96 + j] = a[j + k] * 3 + t[i * 8 + (j & 3)]
//|         t[i * 8 + (j & 3) + 1] = a[j + k]
kernel void table_written_ahead(global const uint *restrict a, global uint *restrict t, uint k,
                                global uint *restrict b) {
    b += get_global_id(0) * 96;
    t += get_global_id(0) * 8;
    for (uint j = 0; j < 96; j++) {
        uint v = a[j + k];
        b[j] = v * 3 + t[j & 3];
        t[(j & 3) + 1] = v;
    }
}
