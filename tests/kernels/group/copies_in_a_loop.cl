// The next tile is on its way while this one is used; two events, and a wait in each iteration.
//! launch: 32 / 16
//! launch: 9 / 3
//! launch: (4, 6) / (2, 3)
//! sizes: 1, 3, 8, 64, (7, 5), 1024
//! arg a: small_ints((N[0] * (N[1] if len(N) > 1 else 1), 5, prod(L)))
//! arg b: zeros(prod(G), int32)
//! arg count: 5
//! arg tiles: 8 * prod(L)
//| b[:] = (a[:, :, ::-1] * arange(1, 6)[:, None]).sum(1).ravel()
kernel void copies_in_a_loop(global const int *a, global int *b, int count, local int *tiles) {
    int items = get_local_size(0) * get_local_size(1);
    int item = get_local_id(1) * get_local_size(0) + get_local_id(0);
    int group = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    event_t e[2];
    int sum = 0;
    a += group * count * items;
    e[0] = async_work_group_copy(tiles, a, items, 0);
    for (int i = 0; i < count; ++i) {
        if (i + 1 < count)
            e[(i + 1) % 2] = async_work_group_copy(tiles + (i + 1) % 2 * items, a + (i + 1) * items, items, 0);
        wait_group_events(1, &e[i % 2]);
        sum += tiles[i % 2 * items + items - 1 - item] * (i + 1);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    b[group * items + item] = sum;
}
