// One work-item reads a table of four elements and a buffer in a loop; so does a counter of eight bits.
//! launch: 4 / 2
//! launch: 1 / 1
//! arg a: arange(200, dtype=uint32) * 7
//! arg t: arange(1000, 1300, dtype=uint32)
//! arg k: 5
//! arg b: zeros(G[0] * 96, uint32)
//| j = arange(96)
//| for i in range(G[0]):
//|     b[i * 96 + j] = a[j + k] + t[j & 3] + t[(j * 9) & 255]
kernel void index_of_two_bits_in_a_loop(global const uint *restrict a, global const uint *restrict t, uint k,
                                        global uint *restrict b) {
    b += get_global_id(0) * 96;
    for (uint j = 0; j < 96; j++)
        b[j] = a[j + k] + t[j & 3] + t[(uchar)(j * 9)];
}
