// A function reads tables of four elements: by the lowest bits of its counter, by some in the middle.
//! launch: 4 / 2
//! launch: 1 / 1
//! arg a: arange(200, dtype=uint32) * 7
//! arg t: arange(1000, 1300, dtype=uint32) ** 2
//! arg k: 5
//! arg b: zeros(G[0] * 96, uint32)
//| j = arange(96)
//| for i in range(G[0]):
//|     b[i * 96 + j] = a[j + k] + t[j & 3]
//|     b[i * 96] += t[j * 4 & 12].sum(dtype=uint32)
uint sum_of_steps(global const uint *restrict a, global const uint *restrict t, uint k, uint n,
                  global uint *restrict b) {
    uint sum = 0;
    for (uint j = 0; j < n; j++)
        b[j] = a[j + k] + t[j & 3];
    for (uint j = 0; j < n; j++)
        sum += t[j * 4 & 12] + a[j + k] - a[j + k];
    return sum;
}

kernel void index_in_a_function(global const uint *restrict a, global const uint *restrict t, uint k,
                                global uint *restrict b) {
    b += get_global_id(0) * 96;
    uint sum = sum_of_steps(a, t, k, 96, b);
    b[0] += sum;
}
