// Sums in memory of loops that are left in several ways: two loops at once, with an address of the outer one,
// and by several cases of a switch that go to the same place.
//! launch: 32 / 16
//! launch: 37 / 37
//! arg c: small_ints((9, G[0]))
//! arg a: small_ints((G[0], 12), int32, -2, 25)
//! arg n: small_ints(G[0], int32, 0, 13)
//! arg out: zeros((2, G[0]), int32)
//| for i in range(G[0]):
//|     r = left = 0
//|     for j in range(8):
//|         for k in range(int(n[i])):
//|             v = int(a[i, k])
//|             c[j, i] += v + j
//|             left = v + j > 28
//|             if left:
//|                 break
//|         if left:
//|             break
//|         r += int(n[i])
//|     out[0, i] = -r if left else r
//|     s, k = -1, 0
//|     while k < n[i]:
//|         v = int(a[i, k])
//|         c[8, i] += v
//|         if v in (1, 5, 9, 11, 13):
//|             s = v if v < 10 else 99 + k
//|             break
//|         if v == 3:
//|             c[8, i] ^= 3
//|         k += 1
//|     out[1, i] = s * 100 + k
kernel void exits_of_two_loops(global int *restrict c, global const int *restrict a,
                               global const int *restrict n, global int *restrict out) {
    int i = get_global_id(0), items = get_global_size(0), r = 0, k;
    for (int j = 0; j < 8; j++) {
        global int *sum = c + j * items + i;
        for (k = 0; k < n[i]; k++) {
            *sum += a[i * 12 + k] + j;
            if (a[i * 12 + k] + j > 28) {
                r = -r;
                goto left;
            }
        }
        r += k;
    }
left:
    out[i] = r;
    int s = -1;
    for (k = 0; k < n[i]; k++) {
        int v = a[i * 12 + k];
        c[8 * items + i] += v;
        switch (v) {
            case 1:
            case 5:
            case 9:
                s = v;
                goto done;
            case 11:
            case 13:
                s = 99 + k;
                goto done;
            case 3:
                c[8 * items + i] ^= 3;
        }
    }
done:
    out[items + i] = s * 100 + k;
}
