// Tables of 2 to 8 KiB: elements that all work-items access together, that data chooses, or a divergent loop.
//! launch: 64 / 16
//! launch: 10 / 5
//! launch: 3 / 1
//! sizes: any
//! arg a: small_ints((G[0],), uint32)
//! arg out: zeros((4 * G[0],), uint32)
//| for g in range(G[0]):
//|     x = int(a[g])
//|     rows = [(x * k) % 2**32 >> 3 for k in range(2048)]
//|     for k in range(1, 2048): rows[k] = max(rows[k - 1], rows[k] ^ 1)
//|     counts = [0] * 1024
//|     for k in range(200): counts[(x * k * 977 + k) & 1023] += k
//|     parents = list(range(1024))
//|     state, parts = x + 1, 1024
//|     for k in range(40):
//|         state = (state * 1664525 + 1013904223) % 2**32
//|         i, j = state >> 22, (state >> 12) & 1023
//|         while parents[i] != i: i = parents[i]
//|         while parents[j] != j: j = parents[j]
//|         parents[i], parts = j, parts - (i != j)
//|     zeros = [0] * 600
//|     for k in range(0, 600, 1 + (x & 3)): zeros[k] += k
//|     out[4 * g] = sum(rows) % 2**32
//|     out[4 * g + 1] = sum(c * (k % 7) for k, c in enumerate(counts)) % 2**32
//|     out[4 * g + 2] = parts
//|     out[4 * g + 3] = sum(zeros)
kernel void kilobytes_by_lane(global const uint *a, global uint *out) {
    int g = get_global_id(0);
    uint x = a[g], rows[2048], counts[1024], state = x + 1, sum = 0, parts = 1024;
    for (int k = 0; k < 2048; k++) rows[k] = (x * k) >> 3;
    for (int k = 1; k < 2048; k++) rows[k] = max(rows[k - 1], rows[k] ^ 1);
    for (int k = 0; k < 2048; k++) sum += rows[k];
    out[4 * g] = sum;
    for (int k = 0; k < 1024; k++) counts[k] = 0;
    for (int k = 0; k < 200; k++) counts[(x * k * 977 + k) & 1023] += k;
    sum = 0;
    for (int k = 0; k < 1024; k++) sum += counts[k] * (k % 7);
    out[4 * g + 1] = sum;
    ushort parents[1024];
    for (int k = 0; k < 1024; k++) parents[k] = k;
    for (int k = 0; k < 40; k++) {
        state = state * 1664525u + 1013904223u;
        uint i = state >> 22, j = (state >> 12) & 1023;
        while (parents[i] != i) i = parents[i];
        while (parents[j] != j) j = parents[j];
        parents[i] = j;
        parts -= i != j;
    }
    out[4 * g + 2] = parts;
    uint zeros[600] = {0};
    for (int k = 0; k < 600; k += 1 + (x & 3)) zeros[k] += k;
    sum = 0;
    for (int k = 0; k < 600; k++) sum += zeros[k];
    out[4 * g + 3] = sum;
}
