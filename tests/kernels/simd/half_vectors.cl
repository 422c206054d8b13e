// Vectors of half: components, relations, selections, shuffles, loads and stores at any element, conversions.
//! launch: 32 / 8
//! sizes: any
//! arg a: (arange(G[0] * 4, dtype=float16) % float16(17)) * float16(0.5) - float16(4)
//! arg out: zeros((G[0], 4), float16)
//! arg flags: zeros((G[0], 4), int16)
//! arg whole: zeros((G[0], 4), uint8)
//| rows = a.reshape(-1, 4)
//| out[:] = where(rows < rows[:, ::-1], rows, float16(2) * rows[:, ::-1])
//| out[:, 0] = abs(rows[:, 3])
//| flags[:] = where(rows > 0, -1, 0)
//| whole[:] = clip(rint(rows * float16(40)), 0, 255)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void half_vectors(global half *a, global half *out, global short4 *flags, global uchar4 *whole) {
    size_t i = get_global_id(0);
    half4 x = vload4(i, a), y = shuffle(x, (ushort4)(3, 2, 1, 0));
    half4 z = select(y * 2.0h, x, isless(x, y));
    z.x = fabs(x.w);
    vstore4(z, i, out);
    flags[i] = isgreater(x, (half4)(0));
    whole[i] = convert_uchar4_sat_rte(x * 40.0h);
}
