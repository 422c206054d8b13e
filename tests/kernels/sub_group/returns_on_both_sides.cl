// A sub-group takes one side of a branch together, and some of its work-items return there, on either side; on one side
// there is also a loop through a private array.
//! options: -cl-std=CL3.0
//! launch: 64 / 32
//! launch: 48 / 48
//! arg a: small_ints(G[0], int32, 0, 12)
//! arg out: zeros(G[0], int32)
//| for row in range(0, G[0], 8):
//|     total = int(a[row:row + 8].sum())
//|     for i in range(row, row + 8):
//|         out[i] = total
//|         if total > 44:
//|             if a[i] > 6:
//|                 continue
//|         elif total > 36:
//|             if a[i] < 3:
//|                 continue
//|             out[i] += 7
//|         else:
//|             own = [total * k for k in range(32)]
//|             own[a[i]] ^= 5
//|             out[i] += own[a[i] ^ 1]
//|         out[i] += 1000 * int(a[i])
__attribute__((intel_reqd_sub_group_size(8)))
kernel void returns_on_both_sides(global const int *a, global int *out) {
    size_t i = get_global_id(0);
    int x = a[i], total = sub_group_reduce_add(x);
    out[i] = total;
    if (total > 44) {
        if (x > 6)
            return;
    } else if (total > 36) {
        if (x < 3)
            return;
        out[i] += 7;
    } else {
        int own[32];
        for (int k = 0; k < 32; k++)
            own[k] = total * k;
        own[x] ^= 5;
        out[i] += own[x ^ 1];
    }
    out[i] += 1000 * x;
}
