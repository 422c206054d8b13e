// An index that could wrap, computed in a loop that all work-items leave together and used after it.
//! launch: 64 / 16
//! launch: 35 / 7
//! sizes: any
//! arg out: zeros(G[0], uint32)
//! arg a: small_ints(G[0] + 10, uint32)
//! arg b: small_ints(G[0] + 10, uint32)
//! arg n: array([4, 2, 5, 1, 3, 2, 7, 2, 9, 2], uint32)
//| gid = arange(G[0])
//| out[:] = a[gid + n[0]] + a[gid + n[1]] + a[gid + n[2]] + b[gid + n[2]]
kernel void number_behind_a_loop(global uint *out, global const uint *a, global const uint *b,
                                 global const uint *n) {
    uint gid = get_global_id(0);
    uint t, sum = 0, k = 0;
    do {
        t = gid + n[k];
        sum += a[t];
        k++;
    } while (n[0] + 1 > k * 2);
    out[gid] = sum + b[t];
}
