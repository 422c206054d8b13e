// One work-item moves structures along in a loop that all leave at different times, before it is known who does.
//! launch: 64 / 32
//! launch: 48 / 16
//! arg log: small_ints((40, 16))
//! arg limits: (arange(G[0]) * 7 % 13 + 2).astype(int32)
//! arg n: 12
//! arg found: zeros(G[0], int32)
//| for i in range(G[0]):
//|     for k in range(n):
//|         if i == 5:
//|             log[20 + k] = log[1]; log[1] = log[2 + k]
//|         if limits[i] < k: break
//|         found[i] += k
typedef struct { int a[16]; } line;
kernel void copies_before_a_break(global line *log, global const int *limits, int n, global int *found) {
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < n; k++) {
        if (i == 5) {
            log[20 + k] = log[1];
            log[1] = log[2 + k];
        }
        if (limits[i] < k)
            break;
        sum += k;
    }
    found[i] = sum;
}
