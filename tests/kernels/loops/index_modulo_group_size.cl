// One work-item walks through tables of a length that only the size of its group tells, and that a built-in
// function writes.
//! launch: 3 / 1
//! arg a: arange(200, dtype=uint32) * 7
//! arg t: arange(1000, 1064, dtype=uint32)
//! arg p: zeros(16 * G[0], float32)
//! arg k: 5
//! arg b: zeros(G[0] * 96, uint32)
//| j = arange(96)
//| for i in range(G[0]):
//|     b[i * 96 + j] = a[j + k] + t[j % 4] + t[j & 7]
//|     for x in range(96):
//|         p[16 * i + (x & 3)] = x // 2
kernel void index_modulo_group_size(global const uint *restrict a, global const uint *restrict t,
                                    global float *restrict p, uint k, global uint *restrict b) {
    b += get_global_id(0) * 96;
    p += get_global_id(0) * 16;
    uint four = get_local_size(0) * 4, seven = get_local_size(0) * 8 - 1;
    for (uint j = 0; j < 96; j++)
        b[j] = a[j + k] + t[j % four] + t[j & seven];
    for (uint j = 0; j < 96; j++) {
        float fraction = modf((float)j * 0.5f + (float)(a[j + k] & 0), p + (j & 3));
        b[j] += fraction > 2.0f;
    }
}
