// Fourteen barriers, each under a condition from memory, in a loop whose number of iterations comes from memory
// too: all might follow on each other, so they are gathered to one.
//! launch: 32 / 16
//! launch: 21 / 7
//! launch: (8, 6) / (4, 3)
//! arg a: small_ints(G[0] * (G[1] if len(G) > 1 else 1))
//! arg flags: array([3, 0, 1, 2, 3, 0, 2, 1, 3, 0, 1, 2, 2, 3, 1], dtype=int32)
//! arg tile: 64 * 4
//| group = L[0] * (L[1] if len(L) > 1 else 1)
//| if len(G) > 1:
//|     order = [[(y * G[0] + x) for y in range(gy, gy + L[1]) for x in range(gx, gx + L[0])] for gy in range(0, G[1], L[1]) for gx in range(0, G[0], L[0])]
//| else:
//|     order = [list(range(g, g + L[0])) for g in range(0, G[0], L[0])]
//| for members in order:
//|     v = a[members].astype(int64)
//|     for r in range(3):
//|         for i in range(1, 15):
//|             if flags[i] > r:
//|                 v = v + np.roll(v * i + r, -i) % 1000
//|         v = v + r
//|     a[members] = v - np.roll(v, -1)
#define STEP(i) if (flags[i] > r) { \
        int kept = v; \
        tile[l] = v * i + r; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        int other = tile[(l + i) % size] % 1000; \
        v = kept + (other < 0 ? other + 1000 : other); \
        barrier(CLK_LOCAL_MEM_FENCE); \
    }

__kernel void many(__global int *a, __global int *flags, __local int *tile) {
    int l = get_local_id(1) * get_local_size(0) + get_local_id(0);
    int size = get_local_size(0) * get_local_size(1);
    int place = get_global_id(1) * get_global_size(0) + get_global_id(0);
    int v = a[place];
    for (int r = 0; r < flags[0]; r++) {
        STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)
        STEP(8) STEP(9) STEP(10) STEP(11) STEP(12) STEP(13) STEP(14)
        v += r;
    }
    tile[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[place] = v - tile[(l + 1) % size];
}
