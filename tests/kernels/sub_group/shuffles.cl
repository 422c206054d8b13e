// Values of other work-items of the sub-group, by their place.
//! options: -cl-std=CL3.0
//! launch: 64 / 32
//! launch: (32, 4) / (16, 2)
//! launch: (16, 4, 2) / (4, 4, 2)
//! arg a: small_ints(prod(G), int32, -90, 90)
//! arg f: eighths(prod(G), float32)
//! arg r: zeros((prod(G), 7), int32)
//! arg s: zeros(prod(G), float32)
//| g, lane = a.reshape(-1, 16), arange(16)
//| h = f.reshape(-1, 16)
//| turns = [g[:, (lane * 5 + 3) % 16], g[:, lane ^ 6], g[:, abs(lane - 2) % 16], g[:, minimum(lane + 3, 15)]]
//| turns += [roll(g, -5, 1), roll(g, 3, 1), g.reshape(-1, 4, 4)[:, :, [1, 2, 3, 0]].reshape(-1, 16)]
//| r[:] = stack([t.ravel() for t in turns], 1)
//| s[:] = h[:, [7] * 16].ravel() + h[:, ::-1].ravel()
__attribute__((intel_reqd_sub_group_size(16)))
kernel void shuffles(global const int *a, global const float *f, global int *r, global float *s) {
    size_t items = get_local_size(0) * get_local_size(1) * get_local_size(2);
    size_t group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    size_t i = group * items + get_local_linear_id();
    uint lane = get_sub_group_local_id();
    r[i * 7] = sub_group_shuffle(a[i], (lane * 5 + 3) % 16);
    r[i * 7 + 1] = sub_group_shuffle_xor(a[i], 6);
    int up = sub_group_shuffle_up(a[i], 2), from = sub_group_shuffle(a[i], 2 - lane & 15);
    r[i * 7 + 2] = lane < 2 ? from : up;
    int down = sub_group_shuffle_down(a[i], 3), last = sub_group_broadcast(a[i], 15);
    r[i * 7 + 3] = lane > 12 ? last : down;
    r[i * 7 + 4] = sub_group_rotate(a[i], 5);
    r[i * 7 + 5] = sub_group_rotate(a[i], -3);
    r[i * 7 + 6] = sub_group_clustered_rotate(a[i], 1, 4);
    s[i] = sub_group_broadcast(f[i], 7) + sub_group_shuffle(f[i], 15 - lane);
}
