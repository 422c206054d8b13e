// An irreducible loop with two entries, in divergent code.
//! launch: 32 / 8
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 40)
//| out = []
//| for v in a.tolist():
//|     n, second = 0, v % 3 == 0
//|     while True:
//|         if not second:
//|             v += 3; n += 1
//|         second = False
//|         v -= 7; n += 10
//|         if v <= 0: break
//|     out.append(n * 100 + v)
//| a[:] = out
kernel void goto_irreducible(global int *a) {
    int i = get_global_id(0), v = a[i], n = 0;
    if (v % 3 == 0) goto second;
first:
    v += 3;
    n += 1;
second:
    v -= 7;
    n += 10;
    if (v > 0) goto first;
    a[i] = n * 100 + v;
}
