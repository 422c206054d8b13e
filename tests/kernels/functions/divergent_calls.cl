// Work-items call functions in loops of different lengths and in branches, among them some with divisions by
// zero, built-ins, vectors and atomics.
//! launch: 37 / 37
//! launch: 24 / 8
//! arg a: small_ints(G[0])
//! arg count: zeros(1, dtype=int32)
//| i = arange(G[0])
//| for n in range(G[0]):
//|     x, k = int(a[n]), 0
//|     while k < n % 5:
//|         x = x * 3 + k if (n + k) % 2 else min(x, 50) + 4 * k
//|         k += 1
//|     a[n] = x + (0 if n % 3 == 0 else 100 // (n % 3)) + 4 * n
//|     count[0] += n % 5
int odd(int x, int k, volatile global int *count) { atomic_inc(count); return x * 3 + k; }
int4 spread(int k) { return (int4)(k); }
int even(int x, int k, volatile global int *count) {
    int4 v = spread(k);
    atomic_inc(count);
    return min(x, 50) + v.x + v.y + v.z + v.w;
}
int quotient(int a, int b) { int q = a / b; return b == 0 ? 0 : q; }
kernel void divergent_calls(global int *a, volatile global int *count) {
    int i = get_global_id(0), x = a[i];
    for (int k = 0; k < i % 5; k++) x = (i + k) & 1 ? odd(x, k, count) : even(x, k, count);
    a[i] = x + quotient(100, i % 3) + convert_int(dot((float2)(i, i), (float2)(2.0f, 2.0f)));
}
