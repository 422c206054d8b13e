// A work-item reads what it has just written in its row, if it is told so: rows cannot be kept for later.
//! launch: (16, 16) / (16, 16)
//! launch: (8, 16) / (8, 8)
//! arg a: small_ints((G[1], G[0]))
//! arg out: zeros((G[1], G[0]), int32)
//! arg n: 0
//| out[:] = 3 * a + 1
kernel void rows_written_and_read_again(global const int *a, global int *out, int n) {
    local int t[16][17];
    int x = get_local_id(0), y = get_local_id(1);
    int i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    t[x][y] = a[i];
    int own = t[x][y + n];
    t[x][y] = own * 2 + 1;
    int again = t[x][y + n];
    out[i] = own + again;
}
