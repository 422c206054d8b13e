// A private table of 16 KiB in a kernel without barriers.
//! launch: 12 / 4
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 4096)
//! arg out: zeros(G[0], int32)
//| out[:] = (a * 7) % 4096 * 2
kernel void large_without_barrier(global const int *a, global int *out) {
    int table[4096], i = get_global_id(0);
    for (int k = 0; k < 4096; k += 1024) table[(a[i] + k) & 4095] = k;
    table[(a[i] * 7) & 4095] = (a[i] * 7) % 4096 * 2;
    out[i] = table[(a[i] * 7) & 4095];
}
