// Functions write to global, local and private memory through pointers, return pointers, keep some of them in
// structures that live across barriers, and read constant tables.
//! launch: 16 / 8
//! arg a: small_ints(G[0])
//| table = np.array([3, 1, 4, 1, 5, 9, 2, 6], int32)
//| g = a.reshape(-1, L[0])
//| l = arange(L[0])
//| first = g * 2 + table[l % 8]
//| second = first[:, ::-1] + 10
//| pair = np.where(l % 2 == 1, first + second + 100, first + second)
//| g[:] = pair - first[:, (l + 1) % L[0]]
typedef struct { int own; int *chosen; int other[3]; } State;
constant int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
int *place(State *s, int i) { return i & 1 ? &s->other[1] : &s->own; }
void start(State *s, global const int *a, int i) {
    s->own = a[i] * 2 + table[get_local_id(0) & 7];
    s->other[0] = s->other[1] = s->other[2] = 0;
    s->chosen = place(s, i);
}
void publish(local int *tile, const State *s) { tile[get_local_id(0)] = s->own; }
State exchanged(State s, local const int *tile) {
    s.other[0] = tile[get_local_size(0) - 1 - get_local_id(0)] + 10;
    return s;
}
int total(const State *s) { return s->own + s->other[0] + s->other[1]; }
void write(global int *a, int i, int value) { a[i] = value; }
kernel void memory_through_pointers(global int *a) {
    local int tile[1024];
    int i = get_global_id(0);
    State s;
    start(&s, a, i);
    publish(tile, &s);
    barrier(CLK_LOCAL_MEM_FENCE);
    State t = exchanged(s, tile);
    s.other[0] = t.other[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i & 1) *s.chosen += 100;
    barrier(CLK_LOCAL_MEM_FENCE);
    write(a, i, total(&s) - tile[(get_local_id(0) + 1) % get_local_size(0)]);
}
