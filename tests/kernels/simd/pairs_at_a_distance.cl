// Pairs of values at a distance that is an argument: consecutive in lanes if it is a multiple of their number.
//! launch: 64 / 32
//! launch: 96 / 48
//! launch: 40 / 20
//! arg values: arange(4 * G[0], dtype=int32) * 7 % 101
//! arg step: int32(16)
//| for i in range(G[0]):
//|     left = i % step + 2 * step * (i // step)
//|     a, b = int(values[left]), int(values[left + step])
//|     values[left], values[left + step] = a + b, a - b
kernel void pairs(global int *values, int step) {
    uint i = get_global_id(0);
    uint left = i % step + 2 * step * (i / step);
    uint right = left + step;
    int a = values[left], b = values[right];
    values[left] = a + b;
    values[right] = a - b;
}
