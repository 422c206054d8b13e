// Each sub-group scales its numbers by their sum, and finds the place of the largest one.
//! options: -cl-std=CL3.0
//! launch: 512 / 256
//! launch: 224 / 112
//! launch: (32, 8) / (16, 8)
//! arg a: small_ints(prod(G), float32, 1, 9)
//! arg scaled: zeros(prod(G), float32)
//! arg place: zeros(prod(G) // 16, int32)
//| rows = a.reshape(-1, 16)
//| scaled[:] = (rows / rows.sum(axis=1)[:, None]).ravel()
//| place[:] = rows.argmax(axis=1)
kernel void rows_normalized(global const float *a, global float *scaled, global int *place) {
    uint row = get_local_id(1) * 2 + get_group_id(0), lane = get_sub_group_local_id();
    if (get_local_size(1) == 1) row = get_group_id(0) * get_num_sub_groups() + get_sub_group_id();
    float x = a[row * 16 + lane];
    float most = sub_group_reduce_max(x);
    int first = sub_group_reduce_min(x == most ? lane : 99u);
    scaled[row * 16 + lane] = x / sub_group_reduce_add(x);
    if (lane == 0) place[row] = first;
}
