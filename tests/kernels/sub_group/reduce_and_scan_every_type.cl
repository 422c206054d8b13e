// Sums, products, minima, maxima and bits of every type, reduced and scanned in sub-groups of eight.
//! options: -cl-std=CL3.0
//! launch: 64 / 32
//! launch: 40 / 20
//! arg c: small_ints(prod(G), int8, -9, 9)
//! arg t: small_ints(prod(G), uint16, 0, 999)
//! arg i: small_ints(prod(G), int32, -90, 90)
//! arg m: small_ints(prod(G), uint64, 0, 90) * uint64(999999999999999999)
//! arg f: eighths(prod(G), float32)
//! arg d: eighths(prod(G), float64)
//! arg cr: zeros(prod(G), int8)
//! arg tr: zeros(prod(G), uint16)
//! arg ir: zeros((prod(G), 5), int32)
//! arg mr: zeros(prod(G), uint64)
//! arg fr: zeros((prod(G), 2), float32)
//! arg dr: zeros(prod(G), float64)
//! arg v: small_ints((prod(G), 4), int32, -90, 90)
//! arg vr: zeros((prod(G), 4), int32)
//| for group in range(prod(N)):
//|     for first in range(0, prod(L), 8):
//|         w = slice(group * prod(L) + first, group * prod(L) + min(first + 8, prod(L)))
//|         n = w.stop - w.start
//|         cr[w] = c[w].sum(dtype=int8)
//|         tr[w] = t[w].max()
//|         ir[w, 0] = [-(2**31), *maximum.accumulate(i[w])[:-1]]
//|         ir[w, 1] = minimum.accumulate(i[w])
//|         ir[w, 2] = [1, *cumprod(i[w], dtype=int32)[:-1]]
//|         ir[w, 3] = bitwise_xor.reduce(i[w])
//|         ir[w, 4] = [i[w][k // 4 * 4 : k // 4 * 4 + 4].sum() for k in range(n)]
//|         mr[w] = cumsum(m[w])
//|         fr[w, 0] = f[w].sum()
//|         fr[w, 1] = [inf, *minimum.accumulate(f[w])[:-1]]
//|         dr[w] = d[w].max()
//|         vr[w] = v[w][0]
__attribute__((intel_reqd_sub_group_size(8)))
kernel void reduce_and_scan_every_type(
    global const char *c, global const ushort *t, global const int *i, global const ulong *m,
    global const float *f, global const double *d, global char *cr, global ushort *tr, global int *ir,
    global ulong *mr, global float *fr, global double *dr, global const int4 *v, global int4 *vr) {
    size_t at = get_global_id(0);
    cr[at] = sub_group_reduce_add(c[at]);
    tr[at] = sub_group_reduce_max(t[at]);
    ir[at * 5] = sub_group_scan_exclusive_max(i[at]);
    ir[at * 5 + 1] = sub_group_scan_inclusive_min(i[at]);
    ir[at * 5 + 2] = sub_group_non_uniform_scan_exclusive_mul(i[at]);
    ir[at * 5 + 3] = sub_group_non_uniform_reduce_xor(i[at]);
    ir[at * 5 + 4] = sub_group_clustered_reduce_add(i[at], 4);
    mr[at] = sub_group_scan_inclusive_add(m[at]);
    fr[at * 2] = sub_group_reduce_add(f[at]);
    fr[at * 2 + 1] = sub_group_scan_exclusive_min(f[at]);
    dr[at] = sub_group_reduce_max(d[at]);
    vr[at] = sub_group_broadcast(v[at], 0);
}
