// Regions where the first work-item works alone, and look-alikes in which the others have something to do.
//! options: -cl-std=CL3.0
//! launch: 24 / 8
//! launch: 3 / 1
//! launch: (4, 6) / (2, 3)
//! sizes: 1, 3, 8, 64, (7, 5), 1024
//! arg a: small_ints(prod(G))
//! arg b: zeros((prod(G), 4), int32)
//| g = a.reshape(-1, prod(L))
//| first = arange(prod(L)) == 0
//| b[:, 0] = g.sum(1).repeat(prod(L))
//| b[:, 1] = where(first, g * 2, g - 1).ravel()
//| b[:, 2] = (where(first, 5, 9) + g).ravel()
//| b[:, 3] = (where(first, g + 1, 0)).ravel()
kernel void first_work_item_alone(global const int *a, global int *b) {
    local int t[1024], sum;
    int items = get_local_size(0) * get_local_size(1);
    int l = get_local_linear_id();
    int i = (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * items + l;
    int v = a[i], kept[2] = {0, 0};
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_linear_id() == 0) {
        sum = 0;
        for (int k = 0; k < items; ++k) sum += t[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i * 4] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    int w;
    if (get_local_linear_id() == 0)
        w = v * 2;
    else
        w = v - 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i * 4 + 1] = w;
    barrier(CLK_LOCAL_MEM_FENCE);
    bool first = get_local_linear_id() == 0;
    if (first) t[0] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i * 4 + 2] = (first ? 4 + t[0] : 9) + v;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_linear_id() == 0) kept[v & 1] = v + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i * 4 + 3] = kept[v & 1];
}
