// Work-items run along the diagonals of a table: each loads from three neighbours far apart, and stores.
//! launch: 96 / 32
//! launch: 64 / 64
//! sizes: 8, 64
//! arg s: small_ints(G[0]) % 4
//! arg t: small_ints(G[0])[::-1].copy() % 4
//! arg out: zeros(G[0], int32)
//! arg table: (L[0] + 1) * 65 * 4
//| for first in range(0, G[0], L[0]):
//|     table = np.zeros((L[0] + 1, L[0] + 1), np.int32)
//|     for r in range(L[0]):
//|         for c in range(L[0]):
//|             same = s[first + r] == t[first + c]
//|             table[r + 1, c + 1] = table[r, c] + 1 if same else max(table[r, c + 1], table[r + 1, c])
//|     out[first:first + L[0]] = table[1:, L[0]]
kernel void longest_common_subsequence(global const int *s, global const int *t, global int *out,
                                       local int *table) {
    int c = get_local_id(0), n = get_local_size(0), first = get_group_id(0) * n;
    table[c + 1] = 0;
    table[(c + 1) * 65] = 0;
    if (c == 0) table[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 0; d < 2 * n - 1; d++) {
        int r = d - c;
        if (r >= 0 && r < n) {
            int up = table[r * 65 + c + 1], left = table[(r + 1) * 65 + c], before = table[r * 65 + c];
            table[(r + 1) * 65 + c + 1] = s[first + r] == t[first + c] ? before + 1 : max(up, left);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[first + c] = table[(c + 1) * 65 + n];
}
