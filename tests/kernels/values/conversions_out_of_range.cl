// Numbers out of an integer's range become some integer of that type, the same for all that read it: a table of as
// many entries is never left, and branches on it lead somewhere.
//! launch: 48 / 16
//! launch: 26 / 13
//! sizes: any
//! arg x: array([5, 255, 256, 300, -1, -5, 511.5, 70000, -70000, 200, 128, -129, 130000, -130000, 32768, 4e9, 5e9, -5e9, 1e19, 1e20, -1e20, inf, -inf, nan], float32)[arange(G[0]) % 24]
//! arg table: arange(-(1 << 18), 1 << 18).astype(int32)
//! arg out: zeros((G[0], 12), int32)
//| out[:, :] = 1
//| good = (x > -1) & (x < 256)
//| out[:, 10] = where(good, where(good, x, 0).astype(int32), -1)
//| out[:, 11] = where(abs(x) < 2**31, where(abs(x) < 2**31, x, 0).astype(int32), -7)
kernel void conversions_out_of_range(global const float *x, global const int *table, global int *out) {
    int i = get_global_id(0);
    float f = x[i];
    global int *to = out + i * 12;
    global const int *from = table + (1 << 18);
    char c = (char)f;
    uchar uc = (uchar)f;
    short s = (short)f;
    ushort us = (ushort)f;
    to[0] = from[c] >= -128 && from[c] <= 127;
    to[1] = from[uc] >= 0 && from[uc] <= 255;
    to[2] = from[s] >= -32768 && from[s] <= 32767;
    to[3] = from[us] >= 0 && from[us] <= 65535;
    uchar4 v = convert_uchar4((float4)(f, -f, f * 2, 1));
    to[4] = from[v.s0] >= 0 && from[v.s0] <= 255 && from[v.s2] >= 0 && from[v.s2] <= 255 && v.s3 == 1;
    uchar r = convert_uchar_rte((double)f);
    to[5] = from[r] >= 0 && from[r] <= 255;
    short in_loop = 0;
    int fine = 1;
    for (int j = 0; j < (i & 3) + 1; j++) {
        in_loop = (short)(f + j);
        fine &= from[in_loop] >= -32768 && from[in_loop] <= 32767;
    }
    to[6] = fine;
    // All that read it see the same.
    int whole = (int)f, way = 0;
    if (whole > 3) way = 1;
    to[7] = way == (whole >= 4);
    uint u = (uint)f;
    ulong wide = u;
    to[8] = wide < 0x100000000UL && (uint)wide == u;
    long l = (long)f;
    to[9] = l < 0 ? l != 5 : l >= 0;
    to[10] = f > -1 && f < 256 ? uc : -1;
    to[11] = fabs(f) < 2147483648.0f ? whole : -7;
}
