// Sums, minima and maxima of every type; sums of integers wrap around.
//! options: -cl-std=CL3.0
//! launch: 64 / 16
//! launch: 5 / 1
//! launch: 2048 / 1024
//! launch: (14, 10) / (7, 5)
//! launch: (8, 4, 4) / (4, 4, 2)
//! sizes: any
//! arg i: small_ints(prod(G), int32, -90, 90) * int32(9999999)
//! arg ir: zeros((prod(G), 3), int32)
//! arg u: small_ints(prod(G), uint32, 0, 90) * uint32(999999999)
//! arg ur: zeros((prod(G), 3), uint32)
//! arg l: small_ints(prod(G), int64, -90, 90) * int64(9999999999999999)
//! arg lr: zeros((prod(G), 3), int64)
//! arg m: small_ints(prod(G), uint64, 0, 90) * uint64(999999999999999999)
//! arg mr: zeros((prod(G), 3), uint64)
//! arg f: eighths(prod(G), float32)
//! arg fr: zeros((prod(G), 3), float32)
//! arg d: eighths(prod(G), float64)
//! arg dr: zeros((prod(G), 3), float64)
//| g = i.reshape(-1, prod(L))
//| ir[:] = stack([g.sum(1, dtype=int32), g.min(1), g.max(1)], 1).repeat(prod(L), 0)
//| g = u.reshape(-1, prod(L))
//| ur[:] = stack([g.sum(1, dtype=uint32), g.min(1), g.max(1)], 1).repeat(prod(L), 0)
//| g = l.reshape(-1, prod(L))
//| lr[:] = stack([g.sum(1, dtype=int64), g.min(1), g.max(1)], 1).repeat(prod(L), 0)
//| g = m.reshape(-1, prod(L))
//| mr[:] = stack([g.sum(1, dtype=uint64), g.min(1), g.max(1)], 1).repeat(prod(L), 0)
//| g = f.reshape(-1, prod(L))
//| fr[:] = stack([g.sum(1, dtype=float32), g.min(1), g.max(1)], 1).repeat(prod(L), 0)
//| g = d.reshape(-1, prod(L))
//| dr[:] = stack([g.sum(1, dtype=float64), g.min(1), g.max(1)], 1).repeat(prod(L), 0)
kernel void reduce_every_type(
    global const int *i, global int *ir,
    global const uint *u, global uint *ur,
    global const long *l, global long *lr,
    global const ulong *m, global ulong *mr,
    global const float *f, global float *fr,
    global const double *d, global double *dr) {
    size_t items = get_local_size(0) * get_local_size(1) * get_local_size(2);
    size_t group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    size_t at = group * items + get_local_linear_id();
    ir[at * 3] = work_group_reduce_add(i[at]);
    ir[at * 3 + 1] = work_group_reduce_min(i[at]);
    ir[at * 3 + 2] = work_group_reduce_max(i[at]);
    ur[at * 3] = work_group_reduce_add(u[at]);
    ur[at * 3 + 1] = work_group_reduce_min(u[at]);
    ur[at * 3 + 2] = work_group_reduce_max(u[at]);
    lr[at * 3] = work_group_reduce_add(l[at]);
    lr[at * 3 + 1] = work_group_reduce_min(l[at]);
    lr[at * 3 + 2] = work_group_reduce_max(l[at]);
    mr[at * 3] = work_group_reduce_add(m[at]);
    mr[at * 3 + 1] = work_group_reduce_min(m[at]);
    mr[at * 3 + 2] = work_group_reduce_max(m[at]);
    fr[at * 3] = work_group_reduce_add(f[at]);
    fr[at * 3 + 1] = work_group_reduce_min(f[at]);
    fr[at * 3 + 2] = work_group_reduce_max(f[at]);
    dr[at * 3] = work_group_reduce_add(d[at]);
    dr[at * 3 + 1] = work_group_reduce_min(d[at]);
    dr[at * 3 + 2] = work_group_reduce_max(d[at]);
}
