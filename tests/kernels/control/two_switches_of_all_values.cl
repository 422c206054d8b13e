// Two switches, the second one in a loop, have an unreachable default each, which LLVM lets lead to one dead end.
//! launch: 64 / 16
//! sizes: any
//! arg op: small_ints(G[0], uint8, 0, 255)
//! arg a: small_ints(G[0], int32, 1, 50)
//! arg r: zeros(G[0], int32)
//| first = op & 3
//| y = where(first == 0, a + 7, where(first == 1, a * 3, where(first == 2, 100 - a, -a)))
//| for k in range(7):
//|     which = (op >> k) & 3
//|     step = where(which == 0, y + k, where(which == 1, y * 3, where(which == 2, y ^ 5, 9 - y)))
//|     y = where(k < op % 8, step, y)
//| r[:] = y
kernel void two_switches_of_all_values(global const uchar *op, global const int *a, global int *r) {
    int i = get_global_id(0), x = a[i], y;
    switch (op[i] & 3) {
    case 0: y = x + 7; break;
    case 1: y = x * 3; break;
    case 2: y = 100 - x; break;
    case 3: y = -x; break;
    }
    for (int k = 0; k < op[i] % 8; k++)
        switch (op[i] >> k & 3) {
        case 0: y += k; break;
        case 1: y *= 3; break;
        case 2: y ^= 5; break;
        case 3: y = 9 - y; break;
        }
    r[i] = y;
}
