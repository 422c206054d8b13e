// Rows of a length that is known only at run time; at the borders fewer neighbours count. Lanes of one
// row, away from the borders, load consecutive elements.
//! launch: 192 / 64
//! launch: 96 / 32
//! launch: 42 / 7
//! sizes: any
//! arg pattern: small_ints(25, int32, 0, 9)
//! arg window: small_ints(30 * 30, int32, -5, 9)
//! arg out: zeros(G[0], int32)
//! arg t: 5
//! arg w: 30
//! arg c: 34
//| for e in range(G[0]):
//|     row, column, s = e % 34, e // 34, 0
//|     for x in range(max(column - 29, 0), min(column, 4) + 1):
//|         for y in range(max(row - 29, 0), min(row, 4) + 1):
//|             s += int(pattern[x * 5 + y]) * int(window[(column - x) * 30 + row - y])
//|             if s > 900: break
//|     out[e] = s
kernel void ragged_rows(global const int *pattern, global const int *window, global int *out, int t, int w, int c) {
    int e = get_global_id(0), row = e % c, column = e / c, sum = 0;
    for (int x = max(column - w + 1, 0); x <= min(column, t - 1); x++)
        for (int y = max(row - w + 1, 0); y <= min(row, t - 1); y++) {
            sum += pattern[x * t + y] * window[(column - x) * w + row - y];
            if (sum > 900) break;
        }
    out[e] = sum;
}
