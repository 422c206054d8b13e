// Half in loops whose lanes diverge, through mathematical functions, local memory and barriers.
//! launch: 64 / 16
//! launch: 32 / 8
//! arg a: (arange(G[0], dtype=float16) % float16(13)) * float16(0.25) + float16(0.5)
//! arg tile: L[0] * 2
//! arg out: zeros(G[0], float16)
//! arg steps: zeros(G[0], int32)
//! tolerance: 0.002
//| for i in range(G[0]):
//|     x, n = a[i], 0
//|     while x < float16(100):
//|         x, n = x * float16(1.5) + float16(0.25), n + 1
//|     steps[i] = n
//|     out[i] = float16(sqrt(float(x)) + log2(float(a[i])))
//| for group in out.reshape(-1, L[0]):
//|     group[:] = group[::-1].copy()
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
kernel void half_in_lanes(global half *a, local half *tile, global half *out, global int *steps) {
    size_t i = get_global_id(0), l = get_local_id(0);
    half x = a[i];
    int n = 0;
    while (x < 100.0h) {
        x = x * 1.5h + 0.25h;
        ++n;
    }
    steps[i] = n;
    tile[l] = sqrt(x) + log2(a[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[get_local_size(0) - 1 - l];
}
