// More live values than registers, across a barrier.
//! launch: 8 / 4
//! sizes: any
//! arg a: eighths((G[0], 32))
//! arg out: zeros((G[0], 32), float32)
//| v = a * 2
//| out[:] = v[:, ::-1] + a
#define ROW(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15) \
    M(16) M(17) M(18) M(19) M(20) M(21) M(22) M(23) M(24) M(25) M(26) M(27) M(28) M(29) M(30) M(31)
#define READ(K) float v##K = a[i * 32 + K] * 2.0f;
#define WRITE(K) out[i * 32 + 31 - K] = v##K + a[i * 32 + 31 - K];
kernel void long_straight_code(global const float *a, global float *out) {
    int i = get_global_id(0);
    ROW(READ)
    barrier(CLK_LOCAL_MEM_FENCE);
    ROW(WRITE)
}
