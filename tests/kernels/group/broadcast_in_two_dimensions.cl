// Each work-item of the group broadcasts its value to all.
//! options: -cl-std=CL3.0
//! launch: (6, 10) / (3, 5)
//! launch: (4, 2) / (2, 1)
//! sizes: (1, 1), (3, 1), (8, 1), (7, 5)
//! arg a: small_ints((G[1], G[0]))
//! arg b: zeros_like(a)
//| w = arange(1, prod(L) + 1).reshape(L[1], L[0])
//| for y in range(0, G[1], L[1]):
//|     for x in range(0, G[0], L[0]):
//|         b[y : y + L[1], x : x + L[0]] = (a[y : y + L[1], x : x + L[0]] * w).sum()
kernel void broadcast_in_two_dimensions(global const int *a, global int *b) {
    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    int sum = 0, weight = 1;
    for (size_t y = 0; y < get_local_size(1); ++y)
        for (size_t x = 0; x < get_local_size(0); ++x) sum += work_group_broadcast(a[i], x, y) * weight++;
    b[i] = sum;
}
