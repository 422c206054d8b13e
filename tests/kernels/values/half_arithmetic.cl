// Arithmetic of half: every operation rounds to half, comparisons and conversions are those of numbers.
//! launch: 64 / 16
//! sizes: any
//! arg a: arange(G[0], dtype=float16) * float16(0.37) - float16(9)
//! arg b: (arange(G[0]) % 7 + 1).astype(float16) * float16(0.3)
//! arg out: zeros((G[0], 8), float16)
//! arg whole: zeros((G[0], 4), int32)
//| with errstate(all="ignore"):
//|     out[:, 0], out[:, 1], out[:, 2], out[:, 3] = a + b, a - b, a * b, a / b
//|     out[:, 4] = -a
//|     out[:, 5] = a * a * a * a * a
//|     out[:, 6] = where(a < b, a, b)
//|     out[:, 7] = (arange(G[0]) * 2000 + 1).astype(float16)
//|     whole[:, 0], whole[:, 1] = a.astype(int32), a < b
//|     whole[:, 2] = (a.astype(float64) * 3).astype(int32)
//|     whole[:, 3] = a.view(int16)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
kernel void half_arithmetic(global half *a, global half *b, global half *out, global int *whole) {
    size_t i = get_global_id(0);
    half x = a[i], y = b[i];
    global half *to = out + i * 8;
    to[0] = x + y;
    to[1] = x - y;
    to[2] = x * y;
    to[3] = x / y;
    to[4] = -x;
    to[5] = x * x * x * x * x;
    to[6] = x < y ? x : y;
    to[7] = (half)(int)(i * 2000 + 1);
    whole[i * 4] = (int)x;
    whole[i * 4 + 1] = x < y;
    whole[i * 4 + 2] = (int)((double)x * 3.0);
    whole[i * 4 + 3] = as_short(x);
}
