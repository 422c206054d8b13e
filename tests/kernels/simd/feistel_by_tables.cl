// Rounds of a cipher whose words come from tables: lanes would gather, and are tried at run time.
//! launch: 64 / 16
//! launch: 21 / 7
//! sizes: any
//! arg a: small_ints(2 * G[0], uint32, 0, 90) * uint32(999999999)
//! arg tables: small_ints(512, uint32, 0, 90) * uint32(777777777)
//! arg keys: small_ints(9, uint32, 0, 90) * uint32(555555555)
//! arg rounds: 9
//| left, right = a[::2].copy(), a[1::2].copy()
//| for key in keys:
//|     mixed = (tables[right & 255] + tables[256 + (right >> 24)]) ^ key
//|     left, right = right, left ^ mixed
//| a[::2], a[1::2] = left, right
kernel void feistel_by_tables(global uint *a, global const uint *tables, constant uint *keys, int rounds) {
    size_t i = get_global_id(0);
    uint left = a[2 * i], right = a[2 * i + 1];
    for (int k = 0; k < rounds; k++) {
        uint mixed = (tables[right & 255] + tables[256 + (right >> 24)]) ^ keys[k], before = left;
        left = right;
        right = before ^ mixed;
    }
    a[2 * i] = left;
    a[2 * i + 1] = right;
}
