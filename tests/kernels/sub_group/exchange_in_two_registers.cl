// Values by places that only the data knows, in sub-groups of more work-items than a register has lanes.
//! options: -cl-std=CL3.0
//! launch: 64 / 32
//! launch: (32, 2) / (32, 2)
//! arg a: small_ints(prod(G), uint64, 0, 90) * uint64(99999999999999)
//! arg b: eighths(prod(G), float32)
//! arg u: small_ints(prod(G), uint32, 0, 31)
//! arg ar: zeros((prod(G), 3), uint64)
//! arg br: zeros((prod(G), 3), float32)
//| S, lane = 32, arange(32)
//| for first in range(0, prod(G), S):
//|     w = slice(first, first + S)
//|     for src, res in ((a[w], ar), (b[w], br)):
//|         res[w, 0] = src[u[w]]
//|         res[w, 1] = src[lane ^ u[first]] + src.max()
//|         res[w, 2] = cumsum(src) - src
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__attribute__((intel_reqd_sub_group_size(32)))
kernel void exchange_in_two_registers(
    global const ulong *a, global const float *b, global const uint *u, global ulong *ar, global float *br) {
    size_t group = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    size_t at = group * get_local_size(0) * get_local_size(1) + get_local_linear_id();
    uint first = sub_group_broadcast(u[at], 0);
    ar[at * 3] = sub_group_shuffle(a[at], u[at]);
    ar[at * 3 + 1] = sub_group_shuffle_xor(a[at], first) + sub_group_reduce_max(a[at]);
    ar[at * 3 + 2] = sub_group_scan_exclusive_add(a[at]);
    br[at * 3] = sub_group_shuffle(b[at], u[at]);
    br[at * 3 + 1] = sub_group_shuffle_xor(b[at], first) + sub_group_reduce_max(b[at]);
    br[at * 3 + 2] = sub_group_scan_exclusive_add(b[at]);
}
