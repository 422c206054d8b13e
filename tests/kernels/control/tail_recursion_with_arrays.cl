// Functions that call themselves right before they return, and have private arrays that the next call does not
// see: loops to the kernel compiler.
//! launch: 24 / 8
//! launch: 7 / 7
//! arg out: zeros((G[0], 2), int32)
//| def mixed(p, n):
//|     q = [2 * x + n for x in p]
//|     if n <= 0:
//|         return q[0] + q[3]
//|     p[n & 3] += q[(n + 1) & 3]
//|     return mixed(p, n - 1)
//| def even(p, n):
//|     q = [n + k for k in range(4)]
//|     return p[0] if n == 0 else odd([p[0] + q[n & 3]], n - 1)
//| def odd(p, n):
//|     q = [n * k for k in range(4)]
//|     return -p[0] if n == 0 else even([p[0] - q[n & 3]], n - 1)
//| for i in range(G[0]):
//|     out[i] = mixed([i, 1, 2, i * i], i % 7), even([i], i % 9)
int mixed(int *p, int n) {
    int q[4];
    for (int k = 0; k < 4; k++) q[k] = 2 * p[k] + n;
    if (n <= 0) return q[0] + q[3];
    p[n & 3] += q[(n + 1) & 3];
    return mixed(p, n - 1);
}
// Both in turn, with an array each.
int odd(int sum, int n);
int even(int sum, int n) {
    int q[4];
    for (int k = 0; k < 4; k++) q[k] = n + k;
    if (n == 0) return sum;
    return odd(sum + q[n & 3], n - 1);
}
int odd(int sum, int n) {
    int q[4];
    for (int k = 0; k < 4; k++) q[k] = n * k;
    if (n == 0) return -sum;
    return even(sum - q[n & 3], n - 1);
}
kernel void tail_recursion_with_arrays(global int *out) {
    int i = get_global_id(0);
    int p[4] = {i, 1, 2, i * i};
    out[2 * i] = mixed(p, i % 7);
    out[2 * i + 1] = even(i, i % 9);
}
