// A convolution with a halo in local memory that the first and last work-items load.
//! launch: (32, 3) / (16, 1)
//! sizes: (3, 1), (8, 1), (64, 1), (1024, 1)
//! arg a: small_ints((3, G[0]))
//! arg taps: array([1, 2, 3, 2, 1], int32)
//! arg out: zeros((3, G[0]), int32)
//| p = np.pad(a, ((0, 0), (2, 2)))
//| out[:] = sum(taps[k] * p[:, k:k + G[0]] for k in range(5))
kernel void convolution_row(global const int *a, constant int *taps, global int *out) {
    local int t[1028];
    int l = get_local_id(0), x = get_global_id(0), w = get_global_size(0);
    global const int *row = a + get_global_id(1) * w;
    t[l + 2] = row[x];
    if (l < 2) t[l] = x >= 2 ? row[x - 2] : 0;
    if (l >= get_local_size(0) - 2) t[l + 4] = x + 2 < w ? row[x + 2] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int k = 0; k < 5; k++) sum += taps[k] * t[l + k];
    out[get_global_id(1) * w + x] = sum;
}
