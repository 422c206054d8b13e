// A structure by value, with padding, which the kernel changes: each work-item has a copy of its own.
//! launch: 16 / 4
//! sizes: any
//! arg s: struct.pack("<b3xif4xd4h", 3, 1000, 0.5, 2.25, 1, 2, 3, 4)
//! arg out: zeros(G[0], float64)
//| out[:] = 3 + 1000 + arange(G[0]) + 0.5 + 2.25 + (arange(G[0]) % 4 + 1) * 2
typedef struct {
    char c;
    int i;
    float f;
    double d;
    short h[4];
} Mixed;
kernel void structure_argument(Mixed s, global double *out) {
    int g = get_global_id(0);
    s.i += g;
    s.h[g & 3] *= 2;
    out[g] = s.c + s.i + s.f + s.d + s.h[g & 3];
}
