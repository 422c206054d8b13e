// A loop with a pragma that distributes it. LLVM must not take the index of two bits for a counter that does
// not wrap around: each t is stored after the place where the iteration before has read it.
//! launch: 1 / 1
//! launch: 3 / 1
//! arg a: arange(200, dtype=uint32) * 7
//! arg t: zeros(G[0] * 8, uint32)
//! arg k: 5
//! arg n: 96
//! arg b: zeros(G[0] * 97, uint32)
//| for i in range(G[0]):
//|     for j in range(96):
//|         b[i * 97 + j + 1] = int(b[i * 97 + j]) * 3 + int(t[i * 8 + (j & 3) + 1]) & 0xFFFFFFFF
//|         t[i * 8 + (j & 3)] = a[j + k]
kernel void narrow_index_in_two_loops(global const uint *restrict a, global uint *restrict t, uint k, uint n,
                                      global uint *restrict b) {
    t += get_global_id(0) * 8;
    b += get_global_id(0) * 97;
#pragma clang loop distribute(enable)
    for (uint j = 0; j < n; j++) {
        b[j + 1] = b[j] * 3 + t[(j & 3) + 1];
        t[j & 3] = a[j + k];
    }
}
