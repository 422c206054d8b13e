// A kernel can compare a null buffer with NULL.
//! launch: 8 / 4
//! sizes: any
//! arg a: None
//! arg b: None
//! arg out: zeros(G[0], int32)
//| out[:] = 3
kernel void null_pointer(global int *a, constant int *b, global int *out) {
    out[get_global_id(0)] = (a == 0) + 2 * (b == 0);
}
