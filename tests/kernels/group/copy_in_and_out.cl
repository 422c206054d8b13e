// A tile comes in and goes out again by asynchronous copies; in between work-items change it.
//! launch: 64 / 16
//! launch: 21 / 7
//! launch: 5 / 1
//! launch: (14, 10) / (7, 5)
//! launch: (8, 4, 4) / (4, 4, 2) + (3, 2, 1)
//! launch: 2048 / 1024
//! sizes: any
//! arg a: small_ints(prod(G))
//! arg b: zeros_like(a)
//! arg tile: prod(L) * 4
//| b[:] = a.reshape(-1, prod(L))[:, ::-1].ravel() + 1
kernel void copy_in_and_out(global const int *a, global int *b, local int *tile) {
    size_t items = get_local_size(0) * get_local_size(1) * get_local_size(2);
    size_t group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    size_t item = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
    event_t e = async_work_group_copy(tile, a + group * items, items, 0);
    wait_group_events(1, &e);
    int mine = tile[items - 1 - item] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[item] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(b + group * items, tile, items, 0);
    wait_group_events(1, &e);
}
