// The cases of a switch are all the values that there can be: LLVM makes its default unreachable.
//! launch: 64 / 16
//! sizes: any
//! arg op: small_ints(G[0], uint8, 0, 255)
//! arg a: small_ints(G[0], int32, 1, 50)
//! arg r: zeros(G[0], int32)
//| which = op & 3
//| r[:] = where(which == 0, a + 7, where(which == 1, a * 3, where(which == 2, 100 - a, -a)))
kernel void switch_of_all_values(global const uchar *op, global const int *a, global int *r) {
    int i = get_global_id(0), x = a[i], y;
    switch (op[i] & 3) {
    case 0: y = x + 7; break;
    case 1: y = x * 3; break;
    case 2: y = 100 - x; break;
    case 3: y = -x; break;
    }
    r[i] = y;
}
