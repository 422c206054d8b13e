// Numbers of 8, 16 and 64 bits that lie in rows, written by one row of work-items and read by another.
//! launch: (32, 32) / (16, 16)
//! launch: (16, 16) / (8, 8)
//! launch: (8, 12) / (4, 4)
//! arg c: small_ints((G[1], G[0]), int8)
//! arg s: small_ints((G[1], G[0]), int16)
//! arg l: small_ints((G[1], G[0]), int64)
//! arg t: zeros((G[0], G[1]), int64)
//| t[:] = (c.astype(int64) + 100 * s.astype(int64) + 10000 * l).T
kernel void rows_of_small_numbers(global const char *c, global const short *s, global const long *l, global long *t) {
    local char chars[16][16];
    local short shorts[16][18];
    local long longs[16][17];
    int x = get_local_id(0), y = get_local_id(1), width = get_global_size(0), height = get_global_size(1);
    int from = get_global_id(1) * width + get_global_id(0);
    chars[y][x] = c[from];
    shorts[x][y] = s[from];
    longs[x][y] = l[from];
    barrier(CLK_LOCAL_MEM_FENCE);
    int w = get_local_size(0), h = get_local_size(1);
    int row = get_group_id(0) * w + y, column = get_group_id(1) * h + x;
    t[row * height + column] = chars[x][y] + 100 * shorts[y][x] + 10000 * longs[y][x];
}
