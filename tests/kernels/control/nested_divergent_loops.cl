// Divergent loops in divergent loops with break and continue.
//! launch: 24 / 8
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 20)
//| out = []
//| for v in a.tolist():
//|     s = 0
//|     for x in range(v):
//|         if x % 3 == 2: continue
//|         for y in range(x + 1):
//|             if x + y > 14: break
//|             s += x * y
//|         if s > 200: break
//|     out.append(s)
//| a[:] = out
kernel void nested_divergent_loops(global int *a) {
    int i = get_global_id(0), v = a[i], s = 0;
    for (int x = 0; x < v; x++) {
        if (x % 3 == 2) continue;
        for (int y = 0; y <= x; y++) {
            if (x + y > 14) break;
            s += x * y;
        }
        if (s > 200) break;
    }
    a[i] = s;
}
