// Pixels of bytes are widened, weighted and narrowed again; shorts and longs are mixed in.
//! launch: 64 / 64
//! launch: 18 / 6
//! sizes: any
//! arg pixels: (arange((G[0] + 2) * 4).reshape(-1, 4) * 37 % 256).astype(uint8)
//! arg wide: (arange(G[0] * 2).reshape(-1, 2) * 977 % 2000 - 1000).astype(int64)
//! arg out: zeros((G[0], 4), uint8)
//! arg sums: zeros((G[0], 2), int64)
//| p = pixels.astype(int32)
//| total = zeros((G[0], 4), int32)
//| for k in range(3): total += p[k:k + G[0]] * (k + 1)
//| out[:] = clip(total // 6, 0, 200).astype(uint8)
//| sums[:] = wide * total[:, :2].astype(int16) + total[:, 2:]
kernel void vectors_of_small_numbers(global const uchar4 *pixels, global const long2 *wide, global uchar4 *out,
                                     global long2 *sums) {
    int i = get_global_id(0);
    int4 total = (int4)(0);
    for (int k = 0; k < 3; k++)
        total += convert_int4(pixels[i + k]) * (k + 1);
    out[i] = convert_uchar4_sat(min(total / 6, 200));
    short2 s = convert_short2(total.xy);
    sums[i] = wide[i] * convert_long2(s) + convert_long2(total.zw);
}
