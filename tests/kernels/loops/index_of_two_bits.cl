// An index that wraps after four elements, and one that may wrap after 2^32.
//! launch: 96 / 48
//! launch: 64 / 32
//! launch: 48 / 48
//! arg a: arange(200, dtype=uint32) * 7
//! arg t: arange(1000, 1064, dtype=uint32)
//! arg k: 5
//! arg b: zeros(G[0], uint32)
//| i = arange(G[0])
//| b[:] = a[i + k] + t[(i % L[0]) & 3]
kernel void index_of_two_bits(global const uint *restrict a, global const uint *restrict t, uint k,
                              global uint *restrict b) {
    uint i = get_global_id(0);
    b[i] = a[i + k] + t[get_local_id(0) & 3];
}
