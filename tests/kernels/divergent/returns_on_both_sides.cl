// Work-items return early on both sides of a branch that their work-group takes together; on one of them in a loop.
//! launch: 128 / 32
//! launch: 35 / 7
//! arg sides: small_ints(G[0], int32, 0, 3)
//! arg a: small_ints(G[0], int32, 0, 12)
//! arg out: zeros(G[0], int32)
//| for i in range(G[0]):
//|     side, x = int(sides[i // L[0]]), int(a[i])
//|     out[i] = 1
//|     if side == 0:
//|         if x > 6:
//|             continue
//|         out[i] += 2
//|     elif side == 1:
//|         for k in range(4):
//|             out[i] += k
//|         if x < 3:
//|             continue
//|     else:
//|         for k in range(5):
//|             out[i] += k * x
//|             if k * x > 20:
//|                 break
//|         else:
//|             k = 5
//|         if k < 5:
//|             continue
//|     for k in range(x):
//|         out[i] = out[i] * 3 % 1009 + k
kernel void returns_on_both_sides(global const int *sides, global const int *a, global int *out) {
    size_t i = get_global_id(0);
    int x = a[i], side = sides[get_group_id(0)];
    out[i] = 1;
    if (side == 0) {
        if (x > 6)
            return;
        out[i] += 2;
    } else if (side == 1) {
        for (int k = 0; k < 4; k++)
            out[i] += k;
        if (x < 3)
            return;
    } else {
        for (int k = 0; k < 5; k++) {
            out[i] += k * x;
            if (k * x > 20)
                return;
        }
    }
    for (int k = 0; k < x; k++)
        out[i] = out[i] * 3 % 1009 + k;
}
