// Values of every type by places that only the data knows, reductions, scans, votes and clusters, in sub-groups of 16.
//! options: -cl-std=CL3.0
//! launch: 128 / 64
//! launch: (64, 2) / (32, 2)
//! launch: (32, 4) / (16, 4)
//! arg c: small_ints(prod(G), int8, -9, 9)
//! arg t: small_ints(prod(G), uint16, 0, 999)
//! arg i: small_ints(prod(G), int32, -90, 90)
//! arg m: small_ints(prod(G), uint64, 0, 90) * uint64(999999999999999999)
//! arg f: eighths(prod(G), float32)
//! arg d: eighths(prod(G), float64)
//! arg h: eighths(prod(G), float16)
//! arg cr: zeros((prod(G), 3), int8)
//! arg tr: zeros((prod(G), 3), uint16)
//! arg ir: zeros((prod(G), 8), int32)
//! arg mr: zeros((prod(G), 3), uint64)
//! arg fr: zeros((prod(G), 4), float32)
//! arg dr: zeros((prod(G), 3), float64)
//! arg hr: zeros((prod(G), 3), float16)
//! arg v: small_ints((prod(G), 4), int32, -90, 90)
//! arg vr: zeros((prod(G), 2, 4), int32)
//! arg u: small_ints(prod(G), uint32, 0, 16 - 1)
//| S, lane = 16, arange(16)
//| for w in range(0, prod(G), S):
//|     w = slice(w, w + S)
//|     p = u[w]
//|     for src, res in ((c, cr), (t, tr), (m, mr), (f, fr), (d, dr), (h, hr)):
//|         res[w, 0] = src[w][p]
//|         res[w, 1] = src[w].max()
//|         res[w, 2] = src[w][lane ^ (u[w.start] & (S - 1))]
//|     fr[w, 3] = [0, *cumsum(f[w])[:-1]]
//|     ir[w, 0] = i[w].min()
//|     ir[w, 1] = i[w][u[w.start]]
//|     ir[w, 2] = [i[w][k // 4 * 4 : k // 4 * 4 + 4].max() for k in range(S)]
//|     ir[w, 3] = cumsum(i[w])
//|     loops = u[w.start] % 5
//|     x = i[w].copy()
//|     for k in range(loops):
//|         x = x + x[(lane + k + 1) % S]
//|     ir[w, 4] = x
//|     ir[w, 5] = (i[w] > 0).any() + 2 * (i[w] > -80).all() + 4 * (i[w] > 0).sum()
//|     ir[w, 6] = [maximum.accumulate(i[w])[k - 1] if k else -2147483648 for k in range(S)]
//|     ir[w, 7] = (i[w].sum() if i[w.start] > 0 else 7) + 1 + u[w]
//|     vr[w, 0] = v[w][p]
//|     vr[w, 1] = v[w][u[w.start]]
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__attribute__((intel_reqd_sub_group_size(16)))
kernel void exchange_every_type(
    global const char *c, global const ushort *t, global const int *i, global const ulong *m,
    global const float *f, global const double *d, global const half *h, global char *cr, global ushort *tr,
    global int *ir, global ulong *mr, global float *fr, global double *dr, global half *hr,
    global const int4 *v, global int4 *vr, global const uint *u) {
    size_t items = get_local_size(0) * get_local_size(1);
    size_t group = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    size_t at = group * items + get_local_linear_id();
    uint p = u[at], first = sub_group_broadcast(p, 0);
#define EACH(a, r, n)                                                                                              \
    r[at * n] = sub_group_shuffle(a[at], p), r[at * n + 1] = sub_group_reduce_max(a[at]),                            \
    r[at * n + 2] = sub_group_shuffle_xor(a[at], first)
    EACH(c, cr, 3);
    EACH(t, tr, 3);
    EACH(m, mr, 3);
    EACH(f, fr, 4);
    EACH(d, dr, 3);
    EACH(h, hr, 3);
    fr[at * 4 + 3] = sub_group_scan_exclusive_add(f[at]);
    ir[at * 8] = sub_group_reduce_min(i[at]);
    ir[at * 8 + 1] = sub_group_broadcast(i[at], first);
    ir[at * 8 + 2] = sub_group_clustered_reduce_max(i[at], 4);
    ir[at * 8 + 3] = sub_group_scan_inclusive_add(i[at]);
    int x = i[at];
    for (uint k = 0; k < first % 5; k++)
        x += sub_group_rotate(x, k + 1);
    ir[at * 8 + 4] = x;
    ir[at * 8 + 5] = sub_group_any(i[at] > 0) + 2 * sub_group_all(i[at] > -80)
        + 4 * sub_group_ballot_bit_count(sub_group_ballot(i[at] > 0));
    ir[at * 8 + 6] = sub_group_scan_exclusive_max(i[at]);
    int y = 7;
    if (sub_group_broadcast(i[at], 0) > 0) {
        y = sub_group_reduce_add(i[at]);
    }
    int count = 0;
    for (uint k = 0; k < p; k++)
        count += i[at] < 99;
    ir[at * 8 + 7] = y + 1 + count;
    vr[at * 2] = intel_sub_group_shuffle(v[at], p);
    vr[at * 2 + 1] = sub_group_broadcast(v[at], first);
}
