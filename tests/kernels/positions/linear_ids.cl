// The linear ids of OpenCL C 2.0 and the enqueued local size, across a barrier.
//! options: -cl-std=CL3.0
//! launch: (6, 4, 2) / (3, 2, 1) + (2, 3, 4)
//! launch: 12 / 4 + 1
//! sizes: any
//! arg out: zeros((prod(G), 3), int32)
//| shape = [1] * (3 - len(G)) + list(G[::-1])
//| z, y, x = np.indices(shape)
//| s = list(L) + [1] * (3 - len(L))
//| out[:, 0] = arange(prod(G))
//| out[:, 1] = (((z % s[2]) * s[1] + y % s[1]) * s[0] + x % s[0]).reshape(-1)
//| out[:, 2] = s[0]
kernel void linear_ids(global int *out) {
    size_t i = get_global_linear_id(), l = get_local_linear_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i * 3] = get_global_linear_id();
    out[i * 3 + 1] = l;
    out[i * 3 + 2] = get_enqueued_local_size(0);
}
