// Two neighbours at a place that was looked up: lanes gather them as one number of 64 bits.
//! launch: 128 / 64
//! launch: 30 / 15
//! arg at: arange(G[0], dtype=int32)[::-1] * 5 % G[0]
//! arg table: small_ints((G[0], 2))
//! arg out: zeros(G[0], int32)
//! arg n: 3
//| for i in range(G[0]):
//|     for k in range(n):
//|         x, y = table[at[(i + k) % G[0]]]
//|         out[i] += int(x) * 3 - int(y)
kernel void pairs_looked_up(global const int *at, global const int2 *table, global int *out, int n) {
    int i = get_global_id(0), count = get_global_size(0), sum = 0;
    global const int *numbers = (global const int *)table;
    for (int k = 0; k < n; k++) {
        int place = at[(i + k) % count];
        sum += numbers[2 * place] * 3 - numbers[2 * place + 1];
    }
    out[i] = sum;
}
