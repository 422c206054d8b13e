// A column of a matrix becomes a row of local memory and a column again, with strides and counts from the host.
//! launch: 12 / 4
//! launch: 3 / 1
//! sizes: any
//! arg a: eighths((13, N[0], 4))
//! arg b: zeros_like(a)
//! arg rows: 13
//! arg columns: N[0]
//! arg tile: 13 * 12
//| b[:, :, :3] = a[::-1, :, :3]
kernel void strided_by_argument(
    global const float3 *a, global float3 *b, int rows, int columns, local float *tile) {
    local float3 column[13];
    int group = get_group_id(0);
    event_t e = async_work_group_strided_copy(column, a + group, rows, columns, 0);
    wait_group_events(1, &e);
    for (int row = get_local_id(0); row < rows; row += get_local_size(0)) vstore3(column[rows - 1 - row], row, tile);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int row = get_local_id(0); row < rows; row += get_local_size(0))
        b[row * columns + group].xyz = vload3(row, tile);
}
