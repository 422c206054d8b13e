// An index of two bits that LLVM sees only once it knows the size of the group: it goes through local memory,
// a private array, a vector. Beside it a sum that may wrap around in 32 bits.
//! launch: 4 / 2
//! launch: 1 / 1
//! launch: 3 / 1
//! arg a: arange(200, dtype=uint32) * 7
//! arg t: arange(1000, 1064, dtype=uint32)
//! arg k: 5
//! arg b: zeros(G[0] * 96, uint32)
//! arg c: zeros(G[0] * 96, uint32)
//! arg d: zeros(G[0] * 96, uint32)
//| j = arange(96)
//| for i in range(G[0]):
//|     b[i * 96 : i * 96 + 96] = a[j + k] + t[j & 3]
//|     c[i * 96 : i * 96 + 96] = a[j + k] + t[j & (3 if L[0] == 1 else 7)]
//|     d[i * 96 : i * 96 + 96] = a[j + k] + t[j & (3 if L[0] == 1 else 7)]
kernel void narrow_index_through_memory(global const uint *restrict a, global const uint *restrict t, uint k,
                                        global uint *restrict b, global uint *restrict c,
                                        global uint *restrict d) {
    local uint tile[2];
    uint l = get_local_id(0);
    b += get_global_id(0) * 96;
    c += get_global_id(0) * 96;
    d += get_global_id(0) * 96;
    for (uint j = 0; j < 96; j++) {
        tile[l] = j & 3;
        barrier(CLK_LOCAL_MEM_FENCE);
        b[j] = a[j + k] + t[tile[get_local_size(0) - 1 - l]];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint j = 0; j < 96; j++) {
        uint some[2] = {j & 3, j & 7};
        c[j] = a[j + k] + t[some[get_local_size(0) - 1]];
    }
    for (uint j = 0; j < 96; j++) {
        uint2 some = (uint2)(j & 3, j & 7);
        d[j] = a[j + k] + t[some[get_local_size(0) - 1]];
    }
}
