// Half through asynchronous copies and the functions of a work-group.
//! options: -cl-std=CL3.0
//! launch: 32 / 8
//! arg a: (arange(G[0], dtype=float16) % float16(5)) * float16(0.5)
//! arg tile: L[0] * 2
//! arg out: zeros((G[0], 4), float16)
//| for first in range(0, G[0], L[0]):
//|     part = a[first : first + L[0]]
//|     block = out[first : first + L[0]]
//|     block[:, 0], block[:, 1], block[:, 2] = part[::-1], part.astype(float64).sum(), part.max()
//|     block[:, 3] = part[3]
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void half_copies_and_sums(global half *a, local half *tile, global half *out) {
    size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    event_t copied = async_work_group_copy(tile, a + get_group_id(0) * n, n, 0);
    wait_group_events(1, &copied);
    half x = tile[l];
    out[i * 4] = tile[n - 1 - l];
    out[i * 4 + 1] = work_group_reduce_add(x);
    out[i * 4 + 2] = work_group_reduce_max(x);
    out[i * 4 + 3] = work_group_broadcast(x, 3);
}
