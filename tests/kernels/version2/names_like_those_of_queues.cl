// Functions of the program may be called, and texts read, as if they were of device-side queues.
//! options: -cl-std=CL2.0
//! launch: 4 / 4
//! arg out: zeros(4, dtype=int32)
//| out[:] = 101 + 5
constant char text[] = "e@__enqueue_kernel";
int __get_kernel_width(int a) { return a + 5; }
kernel void names_like_those_of_queues(global int *out) { out[get_global_id(0)] = __get_kernel_width(text[0]); }
