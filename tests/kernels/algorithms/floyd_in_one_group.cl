// All shortest paths by one work-group: a barrier loop over a matrix in global memory.
//! launch: (12, 12) / (12, 12)
//! arg d: np.where(np.eye(12, dtype=bool), 0, small_ints((12, 12), int32, 1, 90)).astype(int32)
//| for k in range(12): d[:] = np.minimum(d, d[:, k:k + 1] + d[k:k + 1])
kernel void floyd_in_one_group(global int *d) {
    int x = get_local_id(0), y = get_local_id(1);
    for (int k = 0; k < 12; k++) {
        int way = d[y * 12 + k] + d[k * 12 + x];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (way < d[y * 12 + x]) d[y * 12 + x] = way;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
