// Scalars, vectors and structures of half as arguments.
//! launch: 16 / 4
//! sizes: any
//! arg s: float16(1.5)
//! arg v: array([1, 2, 3, 4], float16)
//! arg p: struct.pack("<eeh2xf", 0.25, -2.0, 7, 3.0)
//! arg out: zeros((G[0], 4), float16)
//| out[:] = (array([1, 2, 3, 4], float16) * float16(1.5)) + float16(0.25 * -2.0 * 7 + 3.0)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef struct { half a, b; short n; float f; } Parts;
kernel void half_arguments(half s, half4 v, Parts p, global half4 *out) {
    half sum = (half)((float)(p.a * p.b) * (float)p.n + p.f);
    half4 product = v * s;
    out[get_global_id(0)] = product + sum;
}
