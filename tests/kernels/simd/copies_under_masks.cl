// A structure that a work-item copies to one place for all, if any work-item does.
//! launch: 64 / 16
//! launch: 21 / 7
//! sizes: any
//! arg to: arange(16, dtype=int32) + 100
//! arg from: arange(16, dtype=int32)
//! arg other: arange(16, dtype=int32) + 200
//! arg a: small_ints(G[0], low=0, high=3)
//| other[:] = to
//| a[:] = a * (a - 1) // 2
struct big {
    int v[16];
};
kernel void copies_under_masks(global struct big *to, global const struct big *from, global struct big *other,
                               global int *a) {
    int gid = get_global_id(0);
    int sum = 0;
    for (int i = 0; i < a[gid]; i++)
        sum += i;
    if (a[gid] > 5)
        *to = *from;
    if (a[gid] < 5)
        *other = *to;
    a[gid] = sum;
}
