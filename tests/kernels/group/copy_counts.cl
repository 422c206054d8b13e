// Copies of no elements, of one, of fewer and of more than there are work-items, at addresses of any alignment.
//! launch: 24 / 8
//! launch: (6, 6) / (3, 2)
//! sizes: any
//! arg a: small_ints(200, int8)
//! arg b: small_ints(200, int8)
//! arg n: 77
//| b[3:4] = a[1:2]
//| b[7:12] = a[5:10]
//| b[20:20 + n] = a[60:60 + n]
kernel void copy_counts(global const char *a, global char *b, int n) {
    local char tile[130];
    event_t e = async_work_group_copy(tile + 9, a + 5, 0, 0);
    e = async_work_group_copy(tile, a + 1, 1, e);
    e = async_work_group_copy(tile + 1, a + 5, 5, e);
    e = async_work_group_copy(tile + 6, a + 60, n, e);
    wait_group_events(1, &e);
    if (get_group_id(0) == 0 && get_group_id(1) == 0) {
        e = async_work_group_copy(b + 3, tile, 1, 0);
        async_work_group_copy(b + 7, tile + 1, 5, e);
        async_work_group_copy(b + 20, tile + 6, n, e);
        wait_group_events(1, &e);
    }
}
