// A bitonic sort of each group's elements: barriers in two nested loops.
//! launch: 64 / 32
//! launch: 4 / 2
//! sizes: 1, 8, 64, (4, 4, 4), 1024
//! arg a: small_ints(G[0])
//! arg t: L[0] * 4
//| g = a.reshape(-1, L[0])
//| g.sort(axis=1)
kernel void bitonic_sort(global int *a, local int *t) {
    uint l = get_local_id(0), items = get_local_size(0), n = get_local_size(0);
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint size = 2; size <= n; size *= 2)
        for (uint stride = size / 2; stride > 0; stride /= 2) {
            uint partner = (l ^ stride) % items;
            if (partner > l) {
                bool up = (l & size) == 0;
                if ((t[l] > t[partner]) == up) {
                    int swap = t[l];
                    t[l] = t[partner];
                    t[partner] = swap;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    a[get_global_id(0)] = t[l];
}
