// Each work-item fills a table of its own, and changes it at places that depend on data.
//! launch: 64 / 16
//! launch: 10 / 5
//! launch: 3 / 1
//! arg a: small_ints((G[0],), uint32)
//! arg out: zeros(G[0], uint32)
//| for g in range(G[0]):
//|     table = [(k * 37 + g) % 256 for k in range(512)]
//|     state, total = int(a[g]) + g, 0
//|     for _ in range(30):
//|         state = (state * 1664525 + 1013904223) % 2**32
//|         total += table[state >> 23]
//|         table[state >> 23] = total % 256
//|     out[g] = total % 2**32
kernel void tables_filled(global const uint *a, global uint *out) {
    int g = get_global_id(0);
    uchar table[512];
    for (int k = 0; k < 512; k++) table[k] = (uchar)(k * 37 + g);
    uint state = a[g] + g, total = 0;
    for (int t = 0; t < 30; t++) {
        state = state * 1664525u + 1013904223u;
        total += table[state >> 23];
        table[state >> 23] = (uchar)total;
    }
    out[g] = total;
}
