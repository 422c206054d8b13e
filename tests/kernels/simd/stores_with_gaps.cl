// Every second, third or fourth element is written, by all work-items and by some; what lies between stays.
//! launch: 64 / 32
//! launch: 36 / 12
//! sizes: any
//! arg a: arange(G[0], dtype=float32)
//! arg two: zeros(G[0] * 2, float32) - 1
//! arg three: zeros(G[0] * 3, int64) - 1
//! arg four: zeros(G[0] * 4, float32) - 1
//| i = arange(G[0])
//| two[0::2] = a * 2
//| three[1::3] = i + 5
//| four[3::4] = where(i % 3 == 1, a, -1)
kernel void stores_with_gaps(global const float *a, global float *two, global long *three, global float *four) {
    size_t i = get_global_id(0);
    two[2 * i] = a[i] * 2;
    for (int k = 0; k < 6; k++)
        three[3 * i + 1] = i + k;
    if (i % 3 == 1)
        four[4 * i + 3] = a[i];
}
