// Rows and columns by division, of a picture whose width is an argument; some work-items have nothing to do.
//! launch: 96 / 48
//! launch: 64 / 16
//! arg a: arange(G[0] * 2, dtype=int32) % 50
//! arg out: zeros(G[0] * 2, int32)
//! arg width: int32(16)
//! arg pitch: int32(32)
//! arg limit: int32(25)
//| for i in range(G[0]):
//|     at = i // width * pitch + i % width
//|     if a[at] < limit:
//|         out[at] = int(a[at]) * 2 + i
kernel void rows(global const int *a, global int *out, int width, int pitch, int limit) {
    int i = get_global_id(0);
    int at = i / width * pitch + i % width;
    if (a[at] < limit) out[at] = a[at] * 2 + i;
}
