// A location is stored to in each iteration of a loop and after it, by work-items that left at different times.
//! launch: 64 / 16
//! launch: 37 / 37
//! arg a: small_ints(G[0], int32, 1, 30)
//! arg out: zeros(G[0], int32)
//! arg n: 12
//| for i in range(G[0]):
//|     s, k = int(a[i]), 0
//|     while True:
//|         s, k = s * 3 % 101 + int(a[i]), k + 1
//|         if not (s < 60 and k < n): break
//|     out[i] = s * 100 + k
kernel void result_behind_loop(global const int *a, global int *out, int n) {
    int i = get_global_id(0), s = a[i], k = 0;
    do {
        s = s * 3 % 101 + a[i];
        out[i] = s;
        k++;
    } while (s < 60 && k < n);
    out[i] = s * 100 + k;
}
