// Lengths of sequences of 64-bit numbers: they live in four registers, and work-items leave the loop at different times.
//! launch: 128 / 64
//! launch: 45 / 9
//! arg start: arange(7, 7 + G[0], dtype=uint64)
//! arg steps: zeros(G[0], int32)
//| for i, x in enumerate(start.tolist()):
//|     while x != 1:
//|         x = 3 * x + 1 if x % 2 else x // 2
//|         steps[i] += 1
__kernel void length(__global const ulong *start, __global int *steps) {
    int i = get_global_id(0);
    ulong x = start[i];
    int count = 0;
    for (; x != 1; count++)
        x = x & 1 ? 3 * x + 1 : x / 2;
    steps[i] = count;
}
