// A private array that is filled before a barrier and read after it, with a different index in each work-item.
//! launch: 64 / 16
//! launch: 21 / 7
//! arg a: small_ints(G[0])
//! arg tile: L[0] * 4
//| for start in range(0, G[0], L[0]):
//|     t = a[start:start + L[0]].copy()
//|     for l in range(L[0]):
//|         v = [int(t[l]) * k for k in range(10)]
//|         s = 0
//|         for k in range(10):
//|             s += v[(k + l) % 10] * int(t[(l + k) % L[0]])
//|         a[start + l] = s
__kernel void across(__global int *a, __local int *tile) {
    int i = get_global_id(0), l = get_local_id(0), size = get_local_size(0), s = 0;
    int v[10];
    tile[l] = a[i];
    for (int k = 0; k < 10; k++)
        v[k] = a[i] * k;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 10; k++)
        s += v[(k + l) % 10] * tile[(l + k) % size];
    a[i] = s;
}
