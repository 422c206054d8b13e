// The last work-item's value, and the one of a work-item that is in the middle in each dimension.
//! options: -cl-std=CL3.0
//! launch: (4, 6, 6) / (4, 3, 2)
//! launch: (2, 2, 2) / (1, 1, 1)
//! launch: (3, 5, 14) / (3, 5, 7)
//! sizes: (1, 1, 1), (3, 1, 1), (8, 1, 1), (64, 1, 1), (7, 5, 1), (4, 4, 4), (1024, 1, 1)
//! arg a: eighths((G[2], G[1], G[0]))
//! arg b: zeros_like(a)
//| m = [s // 2 for s in L]
//| for z in range(0, G[2], L[2]):
//|     for y in range(0, G[1], L[1]):
//|         for x in range(0, G[0], L[0]):
//|             last = a[z + L[2] - 1, y + L[1] - 1, x + L[0] - 1]
//|             b[z : z + L[2], y : y + L[1], x : x + L[0]] = last - a[z + m[2], y + m[1], x + m[0]]
kernel void broadcast_in_three_dimensions(global const float *a, global float *b) {
    size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    size_t x = get_local_size(0), y = get_local_size(1), z = get_local_size(2);
    float last = work_group_broadcast(a[i], x - 1, y - 1, z - 1);
    b[i] = last - work_group_broadcast(a[i], x / 2, y / 2, z / 2);
}
