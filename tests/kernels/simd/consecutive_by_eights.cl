// Work-items store eights of consecutive elements, with gaps between the eights, for which lanes are proved
// eight by eight; other addresses in the same loop want another number of lanes.
//! launch: 64 / 64
//! launch: 256 / 64
//! arg a: small_ints(2 * G[0]).astype(float32)
//! arg b: zeros(G[0], float32)
//| t = arange(64)
//| for group in range(N[0]):
//|     tile = zeros(576, float32)
//|     q = t // 8 * 72 + t % 8
//|     mine = a[group * 128 : group * 128 + 128]
//|     tile[q] = mine[:64]; tile[q + 8] = mine[64:]
//|     b[group * 64 : group * 64 + 64] = tile[q] - 2 * tile[q + 8]
kernel void consecutive_by_eights(global const float *a, global float *b) {
    local float tile[576];
    size_t t = get_local_id(0), q = t / 8 * 72 + t % 8;
    global const float *mine = a + get_group_id(0) * 128;
    tile[q + 0] = mine[t + 0];
    tile[q + 8] = mine[t + 64];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_group_id(0) * 64 + t] = tile[q] - 2 * tile[q + 8];
}
