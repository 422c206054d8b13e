// Intel's shuffles, also of vectors, small integers and of two adjacent sub-groups, and its reductions.
//! options: -cl-std=CL3.0
//! launch: 64 / 32
//! launch: (16, 4) / (8, 2)
//! arg a: small_ints(prod(G), int32, -90, 90)
//! arg f: eighths((prod(G), 4), float32)
//! arg r: zeros((prod(G), 5), int32)
//! arg s: zeros((prod(G), 4), float32)
//! arg c: zeros((prod(G), 6), int8)
//| g, lane, h = a.reshape(-1, 8), arange(8), f.reshape(-1, 8, 4)
//| b = g * 3
//| down, up = concatenate([g, b], 1), concatenate([b, g], 1)
//| turns = [g[:, (lane * 5 + 3) % 8], g[:, lane ^ 6], down[:, 3:11], up[:, 6:14], down[:, lane + lane]]
//| r[:] = stack([t.ravel() for t in turns], 1)
//| s[:] = (h[:, ::-1] + concatenate([h, -h], 1)[:, 1:9]).reshape(-1, 4)
//| q = g.astype(int8)
//| before = concatenate([zeros((len(q), 1), int8), cumsum(q, 1, dtype=int8)[:, :-1]], 1)
//| sums = [repeat(q.sum(1, dtype=int8), 8), repeat(q.max(1), 8), before, cumsum(q, 1, dtype=int8)]
//| sums += [minimum.accumulate(q, 1), repeat(q[:, 5], 8)]
//| c[:] = stack([t.ravel() for t in sums], 1)
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#if !defined(cl_intel_subgroups) || !defined(cl_intel_subgroups_char) || !defined(cl_intel_subgroups_short)
#error an extension is missing
#endif
__attribute__((intel_reqd_sub_group_size(8)))
kernel void shuffles(global const int *a, global const float4 *f, global int *r, global float4 *s, global char *c) {
    size_t items = get_local_size(0) * get_local_size(1);
    size_t i = (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * items + get_local_linear_id();
    uint lane = get_sub_group_local_id();
    short x = (short)a[i], y = (short)(x * 3);
    r[i * 5] = intel_sub_group_shuffle(a[i], (lane * 5 + 3) % 8);
    r[i * 5 + 1] = intel_sub_group_shuffle_xor((long)a[i], 6);
    r[i * 5 + 2] = intel_sub_group_shuffle_down(a[i], a[i] * 3, 3);
    r[i * 5 + 3] = intel_sub_group_shuffle_up(y, x, 2);
    r[i * 5 + 4] = intel_sub_group_shuffle_down((short2)(x, 7), (short2)(y, 7), lane).x;
    s[i] = intel_sub_group_shuffle(f[i], 7 - lane) + intel_sub_group_shuffle_down(f[i], -f[i], 1);
    char q = (char)a[i];
    c[i * 6] = intel_sub_group_reduce_add(q);
    c[i * 6 + 1] = (char)intel_sub_group_reduce_max(x);
    c[i * 6 + 2] = intel_sub_group_scan_exclusive_add(q);
    c[i * 6 + 3] = (char)intel_sub_group_scan_inclusive_add((uchar)q);
    c[i * 6 + 4] = intel_sub_group_scan_inclusive_min(q);
    c[i * 6 + 5] = (char)intel_sub_group_broadcast((ushort)x, 5);
}
