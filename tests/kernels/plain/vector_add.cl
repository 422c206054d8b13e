// One work-item an element, no barrier.
//! launch: 64 / 16
//! launch: 21 / 7
//! launch: 5 / 1
//! launch: 1024 / 1024
//! sizes: any
//! arg a: eighths(G[0])
//! arg b: eighths(G[0])
//! arg c: zeros(G[0], float32)
//| c[:] = a + b
kernel void vector_add(global const float *a, global const float *b, global float *c) {
    int i = get_global_id(0);
    c[i] = a[i] + b[i];
}
