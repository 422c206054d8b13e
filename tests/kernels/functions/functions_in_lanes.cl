// Functions that run in lanes: they call others, return early, run loops of different lengths, use private
// arrays, get structures by pointer and by value and change them, and return structures.
//! launch: 48 / 16
//! launch: 37 / 37
//! arg a: small_ints(G[0])
//! arg table: arange(16, dtype=int32) * 5 % 11
//| def steps(x, n):
//|     for k in range(n):
//|         x = x * 3 - k
//|         if x > 200: return x & 127
//|     return x + int(table[n])
//| def digits(x):
//|     t = [0] * 4
//|     for k in range(6): t[(x + k) & 3] += k
//|     return t[x & 3] * 2 - t[1]
//| for i in range(G[0]):
//|     low, high, count = int(a[i]), i, 0
//|     for k in range(i % 4):
//|         low, high, count = low + k, high * 2 + digits(i + k), count + 1
//|     if i % 3 == 0: low, count = low + 100 + high, count + 7
//|     a[i] = steps(low & 31, i & 7) + high * 2 + count + (low if i % 5 == 0 else 1)
typedef struct { int low, high, count; } State;
int digits(int x) {
    int t[4] = {0, 0, 0, 0};
    for (int k = 0; k < 6; k++) t[(x + k) & 3] += k;
    return t[x & 3] * 2 - t[1];
}
int steps(int x, int n, global const int *table) {
    for (int k = 0; k < n; k++) {
        x = x * 3 - k;
        if (x > 200) return x & 127;
    }
    return x + table[n];
}
void advance(State *s, int n, int i) {
    for (int k = 0; k < n; k++) {
        s->low += k;
        s->high = s->high * 2 + digits(i + k);
        s->count++;
    }
}
State larger(State s) {
    s.low += 100 + s.high;
    s.count += 7;
    return s;
}
int total(State s) { return s.high * 2 + s.count; }
void put(global int *a, int i, State *s, int x) { a[i] = i % 5 == 0 ? x + s->low : x + 1; }
kernel void functions_in_lanes(global int *a, global const int *table) {
    int i = get_global_id(0);
    State s = {a[i], i, 0};
    advance(&s, i % 4, i);
    if (i % 3 == 0) s = larger(s);
    put(a, i, &s, steps(s.low & 31, i & 7, table) + total(s));
}
