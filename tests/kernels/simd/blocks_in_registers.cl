// Vectors that fill registers, as accumulators: in an array that short loops walk through, and as a variable; a
// scalar of each work-item is broadcast to all components.
//! launch: 4,2 / 1,1
//! launch: 3,5 / 3,1
//! arg a: small_ints((3 * G[0], 16), int32, -50, 50)
//! arg b: small_ints((16, 16 * G[1]), int32, -50, 50)
//! arg c: zeros((3 * G[0], 16 * G[1]), int32)
//! arg side: int32(16)
//| c[:] = a @ b
kernel void blocks_in_registers(global const int *a, global const int *b, global int *c, int side) {
    int row = 3 * get_global_id(0), column = 16 * get_global_id(1), pitch = 16 * get_global_size(1);
    int16 sum[2], third = 0;
    for (int r = 0; r < 2; r++)
        sum[r] = 0;
    for (int k = 0; k < side; k++) {
        int16 line = vload16(0, b + k * pitch + column);
        for (int r = 0; r < 2; r++)
            sum[r] += a[(row + r) * side + k] * line;
        third += a[(row + 2) * side + k] * line;
    }
    for (int r = 0; r < 2; r++)
        vstore16(sum[r], 0, c + (row + r) * pitch + column);
    vstore16(third, 0, c + (row + 2) * pitch + column);
}
