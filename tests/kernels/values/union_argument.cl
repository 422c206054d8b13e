// A union by value and a private one that is written as float and read as int.
//! launch: 8 / 4
//! sizes: any
//! arg u: struct.pack("<if", 7, 1.5)
//! arg a: eighths(G[0])
//! arg out: zeros(G[0], int32)
//| out[:] = a.view(int32) ^ 7 ^ float32(1.5).view(int32)
typedef union {
    struct { int i; float f; } s;
    uchar bytes[8];
    int words[2];
} Either;
kernel void union_argument(Either u, global const float *a, global int *out) {
    int i = get_global_id(0);
    union { float f; int n; } v;
    v.f = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = v.n ^ u.s.i ^ u.words[1];
}
