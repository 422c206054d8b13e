// Vector arguments of every size, among them those of three elements, which take the room of four.
//! launch: 8 / 4
//! sizes: any
//! arg a: array([1, 2], int8)
//! arg b: array([3, 4, 5], float32)
//! arg c: array([1, 2, 3, 4], int16)
//! arg d: arange(8, dtype=float64)
//! arg e: array([7, 8, 9], uint8)
//! arg f: arange(16, dtype=float32)
//! arg out: zeros((G[0], 16), float32)
//| out[:] = arange(16)
//| out[:, :2] += a; out[:, 2:5] += b; out[:, 5:9] += c; out[:, 8:] += d.astype(float32); out[:, 13:] += e
kernel void vector_arguments(char2 a, float3 b, short4 c, double8 d, uchar3 e, float16 f, global float16 *out) {
    float16 r = f;
    r.s01 += convert_float2(a);
    r.s234 += b;
    r.s5678 += convert_float4(c);
    r.hi += convert_float8(d);
    r.sdef += convert_float3(e);
    out[get_global_id(0)] = r;
}
