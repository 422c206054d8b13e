// More calls of mathematical functions than are inlined, in a loop that work-items leave at different times.
//! launch: 32 / 16
//! launch: 10 / 5
//! arg a: (eighths(G[0]) % 3 + 0.5).astype(float32)
//! arg out: zeros(G[0], float32)
//! tolerance: 1e-5
//| for i in range(G[0]):
//|     for k in range(1 + i % 3):
//|         x = float(a[i]) + k
//|         for c in range(6):
//|             s = sin(x * (c + 1)) + cos(x + c) if x < 2 else 2 * arctan2(x, c + 1.0)
//|             out[i] += 3 + s + x ** 0.75 + exp(-x * c)
#define STEP(c) \
    s = x < 2 ? sin(x * (c + 1)) + cos(x + c) : 2 * atan2(x, c + 1.0f); \
    sum += 3 + s + pow(x, 0.75f) + exp(-x * c);
kernel void many_function_calls(global const float *a, global float *out) {
    int i = get_global_id(0);
    float x = a[i], s, sum = 0;
    for (int k = 0; k < 1 + i % 3; k++) {
        STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5)
        x += 1;
    }
    out[i] = sum;
}
