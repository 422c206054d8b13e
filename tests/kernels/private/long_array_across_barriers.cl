// A private array of 65 elements lives across barriers; lanes find theirs whatever the shape of the group.
//! launch: 128 / 64
//! launch: 96 / 48
//! launch: 42 / 21
//! launch: (40, 6) / (20, 3)
//! sizes: any
//! arg a: small_ints(prod(G))
//! arg b: zeros(prod(G), int32)
//| def kernel(v):
//|     rows = arange(65)[None, :] * 3 + v[:, None]
//|     s = (rows * rows[:, ::-1]).sum(1) + rows[arange(v.size), v & 63]
//|     order = rows[:, 1:65].reshape(-1, 8, 8).transpose(0, 2, 1).reshape(-1, 64)
//|     return s + (order * (arange(64) % 5)[None, :]).sum(1)
//| b[:] = kernel(a)
kernel void long_array(global const int *a, global int *b) {
    size_t i = get_global_id(2) * get_global_size(1) + get_global_id(1);
    i = i * get_global_size(0) + get_global_id(0);
    int v[65], s = 0;
    for (int k = 0; k < 65; k++)
        v[k] = k * 3 + a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 65; k++)
        s += v[k] * v[64 - k];
    s += v[a[i] & 63];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 8; c++)
            s += v[1 + c * 8 + r] * ((r * 8 + c) % 5);
    b[i] = s;
}
