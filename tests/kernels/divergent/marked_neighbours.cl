// Lists of different lengths; what an element leads to decides whether it is noted, in two places.
//! launch: 48 / 16
//! launch: 21 / 7
//! sizes: any
//! arg lengths: small_ints(G[0], int32, 0, 9)
//! arg lists: small_ints(9 * G[0], int32, 0, 16)
//! arg marks: small_ints(16, int32, 0, 2)
//! arg noted: zeros(9 * G[0], int32)
//! arg kinds: zeros(9 * G[0], uint8)
//! arg last: small_ints(G[0], int32, 0, 5)
//| for i, n in enumerate(lengths.tolist()):
//|     for e in range(9 * i, 9 * i + n):
//|         if marks[lists[e]] == 0:
//|             last[i] = last[i] + lists[e]
//|             noted[e] = last[i]
//|             kinds[e] = 3
kernel void marked_neighbours(global const int *lengths, global const int *lists, global const int *marks,
                              global int *noted, global uchar *kinds, global int *last) {
    int i = get_global_id(0);
    for (int e = 9 * i; e < 9 * i + lengths[i]; e++) {
        int other = lists[e];
        if (!marks[other]) {
            last[i] += other;
            noted[e] = last[i];
            kinds[e] = 3;
        }
    }
}
