// A queue of the device cannot be an argument.
//! options: -cl-std=CLC++1.0
//! error: device-side enqueue (queue_t, enqueue_kernel etc.) is not supported
kernel void device_side_queue_as_argument(global int *a, queue_t queue) { a[0] = 1; }
