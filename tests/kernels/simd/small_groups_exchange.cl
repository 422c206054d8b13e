// Work-items of small groups read what others wrote, in orders that are known when the local size is.
//! launch: 64 / 16
//! launch: 64 / 8
//! launch: 96 / 32
//! launch: 42 / 7
//! sizes: any
//! arg a: (arange(G[0]) * 5 % 19).astype(int32)
//! arg out: zeros(G[0] * 2, int32)
//| n = L[0]
//| for g in range(G[0] // n):
//|     v = a[g * n:g * n + n].astype(int64)
//|     x = arange(n)
//|     for k in range(3): v = v[(x + 1) % n] + k
//|     v = v[n - 1 - x] * 2
//|     v = v + where(x % 3 == 0, v[x ^ 1 if n % 2 == 0 else x], 1)
//|     out[2 * g * n:2 * (g + 1) * n] = stack([v, v[x // 2]], axis=1).ravel()
kernel void small_groups_exchange(global const int *a, global int *out) {
    local int shared[1024];
    int x = get_local_id(0), n = get_local_size(0), value = a[get_global_id(0)];
    int beside = x + 1 < n ? x + 1 : 0;
    for (int k = 0; k < 3; k++) {
        shared[x] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        value = shared[beside] + k;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    shared[x] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    value = shared[n - 1 - x] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[x] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    value += x % 3 == 0 ? shared[n % 2 == 0 ? x ^ 1 : x] : 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[x] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[2 * get_global_id(0)] = value;
    out[2 * get_global_id(0) + 1] = shared[x / 2];
}
