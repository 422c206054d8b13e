// Each work-item has a row of neurons, which sum their inputs and are reset when they exceed a threshold; the
// time of the last such event goes to global memory. The potentials are a private array, written on a condition.
//! launch: 64 / 32
//! launch: 21 / 7
//! arg input: small_ints((40, G[0]), int32, 0, 9)
//! arg last: zeros((24, G[0]), int32)
//! arg out: zeros((24, G[0]), int32)
//! arg count: 24
//! arg steps: 40
//| potential = zeros((24, G[0]), int32)
//| for t in range(40):
//|     for k in range(24):
//|         now = potential[k] + input[t] * (k + 1)
//|         fires = now > 100
//|         last[k][fires] = t
//|         potential[k] = where(fires, now - 100, now)
//| out[:] = potential
__kernel void neurons(__global const int *input, __global int *last, __global int *out, int count, int steps) {
    int x = get_global_id(0), n = get_global_size(0);
    int potential[24];
    for (int k = 0; k < count; k++)
        potential[k] = 0;
    for (int t = 0; t < steps; t++) {
        int in = input[t * n + x];
        for (int k = 0; k < count; k++) {
            potential[k] += in * (k + 1);
            if (potential[k] > 100) {
                potential[k] -= 100;
                last[k * n + x] = t;
            }
        }
    }
    for (int k = 0; k < count; k++)
        out[k * n + x] = potential[k];
}
