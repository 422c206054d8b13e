// A function that gets a structure by value and its address as well reads the copy, not what it writes; one
// whose result goes to where its argument came from reads the argument as it was.
//! launch: 32 / 16
//! arg a: small_ints(G[0])
//| for i in range(G[0]):
//|     first, total = int(a[i]), i
//|     n = i & 7
//|     value = first + 2 * total + n
//|     total += n * first
//|     for k in range(3): first, total = total + k, first * 2
//|     a[i] = value * 3 + first + total
typedef struct { int first, total, rest[6]; } State;
int add(State s, State *to, int n) {
    to->first = 1;
    to->rest[n & 3] += 3;
    for (int k = 0; k < n; k++) to->total += s.first;
    to->first = s.first;
    return s.first + 2 * s.total + s.rest[n & 3];
}
State turned(State s, int k) {
    State t;
    t.first = s.total + k;
    t.total = s.first * 2;
    for (int j = 0; j < 6; j++) t.rest[j] = s.rest[j];
    return t;
}
kernel void structure_changes_while_a_copy_is_read(global int *a) {
    int i = get_global_id(0), n = i & 7;
    State s = {a[i], i, {n, n, n, n, n, n}};
    int value = add(s, &s, n);
    for (int k = 0; k < 3; k++) s = turned(s, k);
    a[i] = value * 3 + s.first + s.total;
}
