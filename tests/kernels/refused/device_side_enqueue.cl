// Kernels cannot enqueue others, and the log says so.
//! options: -cl-std=CL2.0
//! error: device-side enqueue (queue_t, enqueue_kernel etc.) is not supported
kernel void device_side_enqueue(global int *a) {
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ a[0] = 1; });
}
