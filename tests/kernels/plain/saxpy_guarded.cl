// More work-items than elements: the rest must not touch memory.
//! launch: 64 / 16
//! sizes: any
//! arg x: eighths(G[0] * 3 // 4 + 1)
//! arg y: eighths(len(x))
//! arg a: 2.5
//! arg n: len(x)
//| y += float32(a) * x
kernel void saxpy_guarded(global const float *x, global float *y, float a, int n) {
    int i = get_global_id(0);
    if (i < n) y[i] = a * x[i] + y[i];
}
