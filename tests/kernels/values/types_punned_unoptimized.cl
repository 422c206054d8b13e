// A buffer of float is read and written as int and as short by other pointers; -cl-opt-disable gives that a
// meaning: each access sees what the one before it wrote.
//! options: -cl-opt-disable
//! launch: 32 / 8
//! launch: 21 / 7
//! sizes: any
//! arg x: (arange(G[0]) + 1).astype(float32)
//! arg same: arange(G[0]).astype(int32)
//! arg n: int32(3)
//! arg out: zeros((G[0], 4), float32)
//| bits = x.view(int32)
//| out[:, 0] = x
//| x *= float32(2)
//| out[:, 1] = x
//| bits ^= -2**31
//| out[:, 2] = x
//| for k in range(3):
//|     x += float32(1)
//|     bits += 1 << 23
//| bits &= -65536
//| out[:, 3] = x
kernel void types_punned_unoptimized(global float *x, global const int *same, int n, global float *out) {
    int i = get_global_id(0), j = same[i];
    global int *bits = (global int *)x;
    float old = x[i];
    out[4 * i] = old;
    int before = bits[j];
    x[i] = old * 2;
    int after = bits[j];
    out[4 * i + 1] = as_float(before == after ? 0 : after);
    bits[j] = after ^ INT_MIN;
    out[4 * i + 2] = x[i];
    for (int k = 0; k < n; k++) {
        x[i] += 1;
        bits[j] += 1 << 23;
    }
    ((global short *)x)[2 * j] = 0;
    out[4 * i + 3] = x[i];
}
