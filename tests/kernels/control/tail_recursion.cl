// Functions that call themselves right before they return, with a product or a sum to collect, or one another in
// turn, with memory, divisions and barriers about: loops to the kernel compiler.
//! launch: 40 / 8
//! launch: 24 / 3
//! sizes: any
//! arg a: arange(G[0]).astype(int32)
//! arg out: zeros((G[0], 8), int32)
//| from math import factorial, gcd
//| for i in range(G[0]):
//|     out[i] = [gcd(i, 12), factorial(i % 8), i % 2 == 0, i * (i + 1) // 2, i // 7, i % 3, 2 * i + 3, i % 2]
int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
int factorial(int n) {
    if (n <= 1) return 1;
    return n * factorial(n - 1);
}
int odd(int n);
int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { return n == 0 ? 0 : even(n - 1); }
int sum(global const int *a, int n) { return n < 0 ? 0 : a[n] + sum(a, n - 1); }
int quotient(int a, int b, int so_far) {
    if (a < b) return so_far;
    return quotient(a - b, b, so_far + 1);
}
// Three in a ring.
int one_of(int n);
int two_of(int n);
int none_of(int n) { return n == 0 ? 0 : one_of(n - 1); }
int one_of(int n) { return n == 0 ? 1 : two_of(n - 1); }
int two_of(int n) { return n == 0 ? 2 : none_of(n - 1); }
void fill(global int *to, int from, int count, int with) {
    if (count == 0) return;
    *to += with;
    fill(to, from, count - 1, 2);
}
float2 step_to(float2 at, int n) {
    if (n == 0) return at;
    return step_to(at.yx, n - 1);
}
kernel void tail_recursion(global const int *a, global int *out) {
    int i = get_global_id(0);
    global int *to = out + 8 * i;
    to[0] = gcd(i, 12);
    to[1] = factorial(i % 8);
    to[2] = even(i);
    to[3] = sum(a, i);
    to[4] = quotient(i, 7, 0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    to[5] = none_of(i);
    fill(to + 6, 0, i + 1, 3);
    to[7] = (int)step_to((float2)(0, 1), i).x;
}
