// The counter of a loop of barriers is the index of a private array, in several regions.
//! launch: (48, 4) / (24, 2)
//! arg a: small_ints(prod(G))
//! arg b: zeros(prod(G), int32)
//| rows, s, n = a[:, None] + arange(8)[None, :], zeros(a.size, int32), arange(a.size)
//| for q in range(3):
//|     s += rows[:, q] + rows[n ^ 1, 0]
//|     rows[n, 7 - (a & 3)] = rows[:, q] * 2
//|     s += rows[n ^ 1, 1] + rows[:, q] * 3 + rows[n ^ 1, 2]
//| b[:] = s + (rows * arange(1, 9)[None, :]).sum(1)
kernel void indexed(global const int *a, global int *b) {
    local int t[48];
    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    int item = get_local_id(1) * 24 + get_local_id(0), v[8], s = 0;
    for (int k = 0; k < 8; k++)
        v[k] = a[i] + k;
    for (int q = 0; q < 3; q++) {
        s += v[q];
        t[item] = v[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        s += t[item ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        v[7 - (a[i] & 3)] = v[q] * 2;
        t[item] = v[1];
        barrier(CLK_LOCAL_MEM_FENCE);
        s += t[item ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        s += v[q] * 3;
        t[item] = v[2];
        barrier(CLK_LOCAL_MEM_FENCE);
        s += t[item ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int k = 0; k < 8; k++)
        s += v[k] * (k + 1);
    b[i] = s;
}
