// Work-items exchange values within their group; the last groups are smaller.
//! options: -cl-std=CL3.0
//! launch: (100, 1, 1) / (16, 1, 1)
//! launch: (5, 1, 1) / (8, 1, 1)
//! launch: (37, 23, 1) / (8, 8, 1)
//! launch: (17, 9, 5) / (4, 4, 2) + (3, 0, 7)
//! launch: (40, 3, 1) / (1, 2, 1)
//! arg t: 4 * L[0] * L[1] * L[2]
//! arg out: zeros(8 * G[0] * G[1] * G[2], uint32)
//| found = out.reshape(-1, 8)
//| groups = [-(-g // l) for g, l in zip(G, L)]
//| for gz in range(groups[2]):
//|     for gy in range(groups[1]):
//|         for gx in range(groups[0]):
//|             x, y, z = (min(l, g - i * l) for l, g, i in zip(L, G, (gx, gy, gz)))
//|             items = [((gz * L[2] + k) * G[1] + gy * L[1] + j) * G[0] + gx * L[0] + i
//|                      for k in range(z) for j in range(y) for i in range(x)]
//|             n = len(items)
//|             for l, item in enumerate(items):
//|                 found[item] = (items[n - 1 - l], n, L[0] + 100 * x, groups[0], gx, n, 10 * y + z, l)
kernel void exchange(local uint *t, global uint *out) {
    uint l = get_local_linear_id(), g = get_global_linear_id();
    uint n = get_local_size(0) * get_local_size(1) * get_local_size(2);
    t[l] = g;
    barrier(CLK_LOCAL_MEM_FENCE);
    global uint *own = out + g * 8;
    own[0] = t[n - 1 - l];
    own[1] = n;
    own[2] = get_enqueued_local_size(0) + 100 * get_local_size(0);
    own[3] = get_num_groups(0);
    own[4] = get_group_id(0);
    own[5] = work_group_reduce_add(1u);
    own[6] = 10 * get_local_size(1) + get_local_size(2);
    own[7] = work_group_scan_exclusive_add(1u);
}
