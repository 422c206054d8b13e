// A value of every scalar type lives across a barrier.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0], int64, 0, 100)
//! arg out: zeros(G[0], float64)
//| b = a * 3 - 70
//| out[:] = (b > 0) + b.astype(int8) + b.astype(uint8) + b.astype(int16) + b.astype(uint16) + b + b * 5 + b * 0.5 + b / 4
kernel void every_scalar_type(global const long *a, global double *out) {
    int i = get_global_id(0);
    long b = a[i] * 3 - 70;
    bool truth = b > 0;
    char c = (char)b;
    uchar uc = (uchar)b;
    short s = (short)b;
    ushort us = (ushort)b;
    int n = (int)b;
    long w = b * 5;
    float f = b * 0.5f;
    double d = b / 4.0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = truth + c + uc + s + us + n + w + f + d;
}
