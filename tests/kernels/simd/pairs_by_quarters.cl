// Pairs of values at a distance below the number of lanes: consecutive in quarters of the lanes, or not at all.
//! launch: 64 / 64
//! launch: 48 / 48
//! arg values: arange(4 * G[0], dtype=int32) * 7 % 101
//! arg step: int32(4)
//! arg odd: int32(3)
//| for s in (step, odd):
//|     for i in range(G[0]):
//|         left = i % s + 2 * s * (i // s)
//|         a, b = int(values[left]), int(values[left + s])
//|         values[left], values[left + s] = a + b, a - b
kernel void pairs(global int *values, int step, int odd) {
    uint i = get_global_id(0);
    uint left = i % step + 2 * step * (i / step);
    int a = values[left], b = values[left + step];
    values[left] = a + b;
    values[left + step] = a - b;
    barrier(CLK_GLOBAL_MEM_FENCE);
    left = i % odd + 2 * odd * (i / odd);
    a = values[left], b = values[left + odd];
    values[left] = a + b;
    values[left + odd] = a - b;
}
