// Copying and waiting are in functions of their own; several events are waited for at once.
//! launch: 24 / 8
//! launch: (6, 3) / (3, 3)
//! sizes: 1, 3, 8, 64, (7, 5), 1024
//! arg a: small_ints((prod(N), 3, prod(L)), int16)
//! arg b: zeros(prod(G), int16)
//| b[:] = (a[:, 0] + a[:, 1, ::-1] * a[:, 2]).ravel()
event_t fetch(local short *to, global const short *from, size_t count) {
    return async_work_group_copy(to, from, count, 0);
}
void fetch_all(local short *tiles, global const short *from, size_t count) {
    event_t events[3];
    for (int i = 0; i < 3; ++i) events[i] = fetch(tiles + i * 1024, from + i * count, count);
    wait_group_events(3, events);
}
kernel void copies_in_helper_functions(global const short *a, global short *b) {
    local short tiles[3072];
    int items = get_local_size(0) * get_local_size(1);
    int item = get_local_id(1) * get_local_size(0) + get_local_id(0);
    int group = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    fetch_all(tiles, a + group * 3 * items, items);
    b[group * items + item] = tiles[item] + tiles[1024 + items - 1 - item] * tiles[2048 + item];
}
