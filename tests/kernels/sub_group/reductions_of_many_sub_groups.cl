// Many sub-groups of a work-group reduce numbers of every size: sums, products, minima, maxima and bits, some of
// which need another's result. The numbers of sub-groups are powers of two, multiples of them, and others.
//! options: -cl-std=CL3.0
//! launch: 512 / 256
//! launch: 192 / 96
//! launch: 80 / 80
//! launch: (32, 12) / (16, 6)
//! arg c: small_ints(prod(G), int8, -9, 9)
//! arg t: small_ints(prod(G), uint16, 0, 9999)
//! arg i: small_ints(prod(G), int32, -90, 90)
//! arg m: small_ints(prod(G), uint64, 0, 90) * uint64(999999999999999999)
//! arg f: eighths(prod(G), float32)
//! arg d: eighths(prod(G), float64)
//! arg cr: zeros(prod(G) // 16, int8)
//! arg tr: zeros(prod(G) // 16, uint16)
//! arg ir: zeros((prod(G) // 16, 5), int32)
//! arg mr: zeros(prod(G) // 16, uint64)
//! arg fr: zeros((prod(G) // 16, 3), float32)
//! arg dr: zeros(prod(G) // 16, float64)
//! arg off: zeros(prod(G), int32)
//| def linear(a):
//|     rows = a.reshape(G[1] // L[1], L[1], G[0] // L[0], L[0]) if len(G) > 1 else a
//|     return (rows.transpose(0, 2, 1, 3) if len(G) > 1 else rows).reshape(-1, 16)
//| C, T, I, M, F, D = linear(c), linear(t), linear(i), linear(m), linear(f), linear(d)
//| cr[:] = C.sum(axis=1, dtype=int8)
//| tr[:] = T.max(axis=1)
//| ir[:, 0] = I.max(axis=1)
//| ir[:, 1] = I.min(axis=1)
//| ir[:, 2] = [min(list(row).index(row.max()), 99) for row in I]
//| ir[:, 3] = bitwise_xor.reduce(I, axis=1)
//| ir[:, 4] = multiply.reduce(I, axis=1, dtype=int32)
//| mr[:] = M.sum(axis=1, dtype=uint64)
//| fr[:, 0], fr[:, 1], fr[:, 2] = F.sum(axis=1), F.min(axis=1), F.max(axis=1)
//| dr[:] = D.sum(axis=1)
//| offsets = I - I.sum(axis=1, dtype=int32)[:, None]
//| if len(G) > 1:
//|     offsets = offsets.reshape(G[1] // L[1], G[0] // L[0], L[1], L[0]).transpose(0, 2, 1, 3)
//| off[:] = offsets.ravel()
kernel void reductions_of_many_sub_groups(
    global const char *c, global const ushort *t, global const int *i, global const ulong *m,
    global const float *f, global const double *d, global char *cr, global ushort *tr, global int *ir,
    global ulong *mr, global float *fr, global double *dr, global int *off) {
    size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    size_t group = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    size_t row = group * get_num_sub_groups() + get_sub_group_id();
    uint lane = get_sub_group_local_id();
    char bytes = sub_group_reduce_add(c[at]);
    ushort shorts = sub_group_reduce_max(t[at]);
    int most = sub_group_reduce_max(i[at]), least = sub_group_reduce_min(i[at]);
    uint place = sub_group_reduce_min(i[at] == most ? lane : 99);
    int odd = sub_group_non_uniform_reduce_xor(i[at]), product = sub_group_non_uniform_reduce_mul(i[at]);
    float sum = sub_group_reduce_add(f[at]), low = sub_group_reduce_min(f[at]);
    float high = sub_group_reduce_max(f[at]);
    ulong longs = sub_group_reduce_add(m[at]);
    double doubles = sub_group_reduce_add(d[at]);
    off[at] = i[at] - sub_group_reduce_add(i[at]);
    if (lane == 0) {
        cr[row] = bytes, tr[row] = shorts, mr[row] = longs, dr[row] = doubles;
        ir[row * 5] = most, ir[row * 5 + 1] = least, ir[row * 5 + 2] = place, ir[row * 5 + 3] = odd;
        ir[row * 5 + 4] = product, fr[row * 3] = sum, fr[row * 3 + 1] = low, fr[row * 3 + 2] = high;
    }
}
