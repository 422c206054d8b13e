// Loops of different lengths that count in shared memory and in an array of each work-item.
//! launch: 40 / 20
//! launch: 15 / 5
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 25)
//! arg bins: zeros(4, int32)
//! arg b: zeros(G[0], int32)
//| for i, v in enumerate(a.tolist()):
//|     mine = [0, 1, 2, 3]
//|     for k in range(v):
//|         bins[(k + v) % 4] += 1
//|         mine[(k * v) % 4] += mine[k % 4]
//|         if mine[2] > 60: break
//|     b[i] = mine[0] + 10 * mine[1] + 100 * mine[2] + mine[3]
kernel void atomics_and_private_arrays(global const int *a, global int *bins, global int *b) {
    int i = get_global_id(0), v = a[i];
    int mine[4] = {0, 1, 2, 3};
    for (int k = 0; k < v; k++) {
        atomic_inc(&bins[(k + v) & 3]);
        mine[(k * v) & 3] += mine[k & 3];
        if (mine[2] > 60) break;
    }
    b[i] = mine[0] + 10 * mine[1] + 100 * mine[2] + mine[3];
}
