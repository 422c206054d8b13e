// Sub-groups wait before, between and after barriers of the work-group; values of each kind live across them.
//! options: -cl-std=CL3.0
//! launch: 128 / 64
//! launch: 70 / 70
//! launch: 40 / 20
//! arg data: small_ints(G[0])
//! arg out: zeros(G[0], dtype=int32)
//! arg n: 3
//| for group in range(N[0]):
//|     part = data[group * L[0] : (group + 1) * L[0]].astype(np.int64)
//|     rows, last = np.arange(L[0]) // 16, (L[0] - 1) // 16
//|     own = part.copy()
//|     for k in range(n):
//|         own = np.roll(own, -1) * 3 + k + (last - rows) + group
//|     out[group * L[0] : (group + 1) * L[0]] = own.astype(np.int32)
kernel void around(global const int *data, global int *out, int n) {
    local atomic_int token;
    local int shared[64 + 16];
    int id = get_local_id(0), size = get_local_size(0), row = id / 16, last = (size - 1) / 16;
    int own = data[get_global_id(0)], group = get_group_id(0), scratch[4];
    for (int k = 0; k < n; k++) {
        if (id == 0)
            atomic_init(&token, last);
        shared[id] = own;
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
        scratch[k & 3] = shared[(id + 1) % size];
        int passed = 0;
        if (id % 16 == 0) {
            while (atomic_load(&token) != row)
                passed |= 1;
            atomic_store(&token, row - 1);
        }
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
        own = scratch[k & 3] * 3 + k + (last - row) + group + (passed & 2);
    }
    out[get_global_id(0)] = own;
}
