// The largest number in a window of each place of an image, which rows end; how long they are only the launch knows. Where
// windows are whole, those of neighbours begin at consecutive elements; at the beginning of a row at one element.
//! launch: 192 / 64
//! launch: 96 / 32
//! launch: 42 / 7
//! sizes: any
//! arg a: small_ints(G[0] + 40, int32, -50, 90)
//! arg out: zeros(G[0], int32)
//! arg c: 40
//! arg r: 6
//| for e in range(G[0]):
//|     row, column = e // c, e % c
//|     for j in range(max(column - r, 0), min(column + r, c)):
//|         out[e] = max(int(out[e]), int(a[row * c + j]))
//|         if out[e] > 85: break
kernel void largest_in_window(global const int *a, global int *out, int c, int r) {
    int e = get_global_id(0), row = e / c, column = e % c, largest = 0;
    for (int j = max(column - r, 0); j < min(column + r, c); j++) {
        largest = max(largest, a[row * c + j]);
        if (largest > 85) break;
    }
    out[e] = largest;
}
