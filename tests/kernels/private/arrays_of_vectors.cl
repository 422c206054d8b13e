// Private arrays of vectors: with indices that differ between work-items, also in loops that work-items leave
// at different times; components that are written one by one; an array that lives across a barrier.
//! launch: 64 / 16
//! launch: 37 / 37
//! launch: 24 / 8
//! arg a: small_ints((8, G[0]), int32, 0, 64)
//! arg out: zeros((6, G[0]), int32)
//! arg t: L[0] * 4
//| shared = [int(a[7, i]) for i in range(G[0])]
//| for i in range(G[0]):
//|     pairs, quads, n = [[0, 0] for _ in range(6)], [[k, k + 1, k + 2, k + 3] for k in range(5)], 0
//|     for k in range(8):
//|         v = int(a[k, i])
//|         if v > 20 and n < 6:
//|             pairs[n] = [v, k]
//|             n += 1
//|         quads[v % 5] = [v + q for q in reversed(quads[(v + 1) % 5])]
//|         quads[k % 5][2] = v
//|     s = 0
//|     for k in range(n):
//|         s += pairs[k][0] * pairs[(k + 1) % n][1] - pairs[k][1]
//|     first = i // L[0] * L[0]
//|     other = shared[first + (i - first + 1) % min(L[0], G[0] - first)]
//|     out[:4, i] = [q % 1000 for q in quads[(other + n) % 5]]
//|     out[4, i], out[5, i] = s, n
kernel void arrays_of_vectors(global const int *a, global int *out, local int *t) {
    int i = get_global_id(0), items = get_global_size(0), l = get_local_id(0), n = 0, s = 0;
    int2 pairs[6];
    int4 quads[5];
    for (int k = 0; k < 6; k++) pairs[k] = 0;
    for (int k = 0; k < 5; k++) quads[k] = k + (int4)(0, 1, 2, 3);
    for (int k = 0; k < 8; k++) {
        int v = a[k * items + i];
        if (v > 20 && n < 6) pairs[n++] = (int2)(v, k);
        quads[v % 5] = v + quads[(v + 1) % 5].wzyx;
        quads[k % 5].z = v;
    }
    for (int k = 0; k < n; k++) s += pairs[k].x * pairs[(k + 1) % n].y - pairs[k].y;
    t[l] = a[7 * items + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int4 q = quads[(t[(l + 1) % get_local_size(0)] + n) % 5] % 1000;
    out[i] = q.x;
    out[items + i] = q.y;
    out[2 * items + i] = q.z;
    out[3 * items + i] = q.w;
    out[4 * items + i] = s;
    out[5 * items + i] = n;
}
