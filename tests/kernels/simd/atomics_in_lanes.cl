// Work-items of all lanes add to counters they share, some of them only, inside a loop.
//! launch: 64 / 32
//! launch: 24 / 8
//! sizes: any
//! arg keys: (arange(G[0] * 4) * 11 % 17 % 8).astype(int32)
//! arg bins: zeros(8, int32)
//! arg largest: zeros(2, int32)
//! arg order: zeros(G[0], int32)
//| odd = keys[keys % 3 != 0]
//| bins += bincount(odd, minlength=8).astype(int32)
//| largest[0] = keys.max(); largest[1] = G[0]
//| order[:] = 1
kernel void atomics_in_lanes(global const int *keys, global int *bins, global int *largest, global int *order) {
    int i = get_global_id(0);
    for (int k = 0; k < 4; k++) {
        int key = keys[i * 4 + k];
        if (key % 3 != 0)
            atomic_inc(&bins[key]);
        atomic_max(&largest[0], key);
    }
    order[atomic_add(&largest[1], 1)] = 1;
}
