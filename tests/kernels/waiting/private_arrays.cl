// Large private arrays keep their values while a work-item waits.
//! options: -cl-std=CL3.0
//! launch: 96 / 48
//! arg flags: zeros(G[0] // 16 + 1, dtype=int32)
//! arg out: zeros(G[0], dtype=int32)
//| for item in range(G[0]):
//|     flags[item // 16] = 1
//|     out[item] = sum((item * k) % 1000 for k in range(700)) + sum((item + k) for k in range(8))
kernel void arrays(global volatile atomic_int *flags, global int *out) {
    int id = get_global_id(0), row = id / 16, kept[700], small[8];
    for (int k = 0; k < 700; k++)
        kept[(k * 3) % 700] = (id * ((k * 3) % 700)) % 1000;
    for (int k = 0; k < 8; k++)
        small[(k * 3 + id) & 7] = id + ((k * 3 + id) & 7);
    if (id % 16 == 0 && get_local_id(0) < get_local_size(0) - 16)
        while (atomic_load(flags + row + 1) == 0)
            ;
    int sum = 0;
    for (int k = 0; k < 700; k++)
        sum += kept[(k + id) % 700];
    for (int k = 0; k < 8; k++)
        sum += small[(k + id) & 7];
    out[id] = sum;
    if (id % 16 == 15)
        atomic_store(flags + row, 1);
}
