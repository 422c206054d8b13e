// What a sub-group or the work-group has found together decides whether and how often it calls functions that apply to
// the work-items that call them together: all of them do.
//! options: -cl-std=CL3.0
//! launch: 128 / 64
//! launch: 64 / 16
//! launch: (32, 8) / (16, 4)
//! launch: 48 / 24
//! launch: 20 / 20
//! arg a: small_ints(prod(G), int32, 0, 9)
//! arg r: zeros((prod(G), 4), int32)
//! arg s: zeros(prod(G), uint32)
//| items = prod(L)
//| for first in range(0, prod(G), items):
//|     group = slice(first, first + items)
//|     found = any(a[group] > 7)
//|     for row in range(first, first + items, 8):
//|         w = slice(row, min(row + 8, first + items))
//|         x, rounds = a[w].copy(), 0
//|         while x.max() > 0:
//|             x = maximum(np.roll(x, 1) - 1, 0)
//|             rounds += 1
//|         r[w, 0] = rounds
//|         if all(a[w] > 0):
//|             s[w] = dot(a[w] > 4, 1 << arange(len(x)))
//|         if a[w][0] == a[w].min():
//|             r[w, 1] = bitwise_xor.reduce(a[w])
//|         if (a[w] > 5).sum() > 2:
//|             r[w, 3] = a[w].max()
//|         if found:
//|             r[w, 2] = a[w][::-1]
__attribute__((intel_reqd_sub_group_size(8)))
kernel void votes_decide_who_shuffles(global const int *a, global int *r, global uint *s) {
    size_t items = get_local_size(0) * get_local_size(1);
    size_t i = (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * items + get_local_linear_id();
    uint lane = get_sub_group_local_id(), size = get_sub_group_size();
    int x = a[i], rounds = 0;
    for (; sub_group_any(x > 0); rounds++)
        x = max(sub_group_shuffle(x, (lane + size - 1) % size) - 1, 0);
    r[i * 4] = rounds;
    if (sub_group_all(a[i] > 0))
        s[i] = sub_group_ballot(a[i] > 4).x;
    if (sub_group_broadcast(a[i], 0) == sub_group_reduce_min(a[i]))
        r[i * 4 + 1] = sub_group_non_uniform_reduce_xor(a[i]);
    if (sub_group_ballot_bit_count(sub_group_ballot(a[i] > 5)) > 2)
        r[i * 4 + 3] = sub_group_non_uniform_reduce_max(a[i]);
    if (work_group_any(a[i] > 7))
        r[i * 4 + 2] = sub_group_shuffle(a[i], size - 1 - lane);
}
