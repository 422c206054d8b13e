// 4096 work-items in a group with a private array of 1 KiB each: 4 MiB that must not lie on a stack.
//! launch: 4096 / 4096
//! arg a: small_ints(4096, int32, 0, 256)
//! arg n: 2
//| a[:] = a * 3 + np.roll(a, -1)
kernel void kilobyte_each_4096_items(global int *a, int n) {
    int l = get_local_id(0), p[256], v = a[l], next = a[(l + 1) % 4096];
    p[v] = v * 3;
    p[(v + 1) & 255] = next;
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[l] = p[v] + p[(v + 1) & 255];
}
