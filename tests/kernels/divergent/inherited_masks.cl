// A divergent loop below a divergent branch in a divergent loop, with a third one in it.
//! launch: 48 / 16
//! launch: 21 / 7
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 13)
//! arg b: zeros(G[0], int32)
//| for i, v in enumerate(a.tolist()):
//|     s = 0
//|     for x in range(v):
//|         if (v + x) % 3:
//|             y = x
//|             while y < v:
//|                 for z in range(y % 4):
//|                     if s % 7 == 5: break
//|                     s += z + x
//|                 if s > 400: break
//|                 y += 1 + s % 3
//|             s += y
//|         else:
//|             s -= x
//|     b[i] = s
kernel void inherited_masks(global const int *a, global int *b) {
    int i = get_global_id(0), v = a[i], s = 0;
    for (int x = 0; x < v; x++) {
        if ((v + x) % 3) {
            int y = x;
            while (y < v) {
                for (int z = 0; z < y % 4; z++) {
                    if ((uint)(s + 7000) % 7 == 5) break;
                    s += z + x;
                }
                if (s > 400) break;
                y += 1 + (uint)(s + 3000) % 3;
            }
            s += y;
        } else {
            s -= x;
        }
    }
    b[i] = s;
}
