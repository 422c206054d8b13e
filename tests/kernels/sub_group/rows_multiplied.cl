// A sub-group for each row of a matrix: products with a vector, added up in a loop and then across the sub-group.
//! options: -cl-std=CL3.0
//! launch: 512 / 256
//! launch: 96 / 96
//! arg a: small_ints((prod(G) // 16, 48), float32, -9, 9)
//! arg x: small_ints(48, float32, -9, 9)
//! arg n: 48
//! arg y: zeros(prod(G) // 16, float32)
//! arg most: zeros(prod(G) // 16, int32)
//| y[:] = a @ x
//| most[:] = a[:, :16].max(axis=1)
kernel void rows_multiplied(
    global const float *a, global const float *x, int n, global float *y, global int *most) {
    int row = get_group_id(0) * get_num_sub_groups() + get_sub_group_id();
    uint lane = get_sub_group_local_id();
    float sum = 0;
    for (int k = 0; k < n; k += get_sub_group_size()) sum += a[row * n + k + lane] * x[k + lane];
    sum = sub_group_reduce_add(sum);
    float largest = sub_group_reduce_max(a[row * n + lane]);
    if (lane == 0) y[row] = sum, most[row] = largest;
}
