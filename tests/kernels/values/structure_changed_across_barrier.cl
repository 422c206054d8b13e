// A structure argument that the kernel changes before a barrier and in a loop with barriers.
//! launch: 16 / 8
//! sizes: any
//! arg s: struct.pack("<4i", 1, 2, 3, 4)
//! arg n: 5
//! arg out: zeros(G[0], int32)
//| l = arange(G[0]) % L[0]
//| out[:] = (1 + l) + (2 + 2 * l) * 10 + (3 + 2 * l) * 100 + (4 + l) * 1000
typedef struct { int v[4]; } Four;
kernel void structure_changed_across_barrier(Four s, int n, global int *out) {
    int l = get_local_id(0), i = get_global_id(0);
    s.v[0] += l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++) {
        s.v[1 + k % 3] += l;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = s.v[0] + s.v[1] * 10 + s.v[2] * 100 + s.v[3] * 1000;
}
