// Everyone gets one work-item's value, for every type; the work-item is chosen by a value of the group.
//! options: -cl-std=CL3.0
//! launch: 24 / 8
//! launch: 9 / 3
//! launch: 3 / 1
//! sizes: 1, 3, 8, 64, 1024
//! arg a: small_ints(G[0])
//! arg who: 5
//! arg b: zeros((G[0], 6), float64)
//| g = a.reshape(-1, L[0])
//| b[:] = (g[:, who % L[0]].repeat(L[0])[:, None] * arange(1.0, 7))
//| b[:, 1] = (b[:, 1].astype(int64) & 0xffffffff).astype(float64)
//| b[:, 3] = (b[:, 3].astype(int64) & 0x7fffffff).astype(float64)
kernel void broadcast_in_one_dimension(global const int *a, int who, global double *b) {
    size_t i = get_global_id(0), id = who % get_local_size(0);
    b[i * 6] = work_group_broadcast(a[i], id);
    b[i * 6 + 1] = work_group_broadcast((uint)(a[i] * 2), id);
    b[i * 6 + 2] = work_group_broadcast(a[i] * 3L, id);
    b[i * 6 + 3] = work_group_broadcast((ulong)(a[i] * 4L), id) & 0x7fffffff;
    b[i * 6 + 4] = work_group_broadcast(a[i] * 5.0f, id);
    b[i * 6 + 5] = work_group_broadcast(a[i] * 6.0, id);
}
