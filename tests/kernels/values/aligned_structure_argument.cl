// A structure argument with a vector of 64 bytes in it, after an argument of one byte.
//! launch: 8 / 4
//! sizes: any
//! arg c: 1
//! arg s: struct.pack("<i60x16f", 5, *range(16))
//! arg out: zeros((G[0], 16), float32)
//| out[:] = arange(16) * 5 + 1
typedef struct { int n; float16 v; } Wide;
kernel void aligned_structure_argument(char c, Wide s, global float16 *out) {
    out[get_global_id(0)] = s.v * (float)s.n + (float)c;
}
