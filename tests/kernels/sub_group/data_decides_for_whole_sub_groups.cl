// What all work-items of a sub-group find in memory decides whether and how often they call its functions, which only
// the data knows; work-items leave other loops one by one, and some sub-groups return early.
//! options: -cl-std=CL3.0
//! launch: 128 / 64
//! launch: 64 / 16
//! launch: (32, 8) / (16, 4)
//! launch: 48 / 24
//! arg a: small_ints(prod(G), int32, -9, 9)
//! arg n: small_ints(prod(G), int32, 0, 4)
//! arg r: zeros((prod(G), 3), int32)
//! arg last: zeros(prod(G), int32)
//| S, items = 16, prod(L)
//| for first in range(0, prod(G), items):
//|     for row in range(first, first + items, S):
//|         w = slice(row, min(row + S, first + items))
//|         x, times, size = a[w].copy(), int(n[row]), w.stop - w.start
//|         if times == 4:
//|             continue
//|         for k in range(times):
//|             x = x + x.sum() % 7 + k
//|             x = array([v + sum(j % 2 for j in range(abs(int(v)) % 5)) for v in x], int32)
//|         if times == 3:
//|             x = cumsum(x)
//|         r[w, 0] = x
//|         r[w, 1] = x[times] + x[::-1]
//|         e = [5 * int(v) % 8 for v in a[w]]
//|         r[w, 2] = [[c, c + 1, c + 2, c + 3][e[size - 1 - c] % 4] + e[0] for c in range(size)]
//|         last[row] = x[size - 1]
int rest_of_sum(int x) { return (sub_group_reduce_add(x) % 7 + 7) % 7; }

kernel void data_decides(global const int *a, global const int *n, global int *r, global int *last) {
    size_t items = get_local_size(0) * get_local_size(1);
    size_t first = (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * items;
    size_t i = first + get_local_linear_id();
    size_t row = first + get_sub_group_id() * get_max_sub_group_size();
    uint lane = get_sub_group_local_id(), size = get_sub_group_size();
    int x = a[i], times = n[row + (x > 99)];
    if (times == 4)
        return;
    for (int k = 0; k < times; k++) {
        x += rest_of_sum(x) + k;
        int odd = 0;
        for (int j = 0; j < abs(x) % 5; j++)
            odd += j % 2;
        x += odd;
    }
    if (times == 3)
        x = sub_group_scan_inclusive_add(x);
    r[i * 3] = x;
    int reversed = 0;
    for (uint k = 0; k < size; k++) {
        int value = sub_group_broadcast(x, k);
        if (k == size - 1 - lane)
            reversed = value;
    }
    r[i * 3 + 1] = sub_group_broadcast(x, times) + reversed;
    int own[4] = {lane, lane + 1, lane + 2, lane + 3};
    int e = 5 * a[i] & 7, picked = 0;
    for (uint k = 0; k < size; k++) {
        int value = sub_group_broadcast(e, k);
        if (k == size - 1 - lane)
            picked = value;
    }
    r[i * 3 + 2] = own[picked & 3] + sub_group_broadcast(e, 0);
    if (lane == size - 1)
        last[row] = x;
}
