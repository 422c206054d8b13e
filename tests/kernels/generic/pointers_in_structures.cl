// Generic pointers are members of structures and elements of arrays, in private and in local memory, and go into
// functions and come back from them.
//! options: -cl-std=CL3.0
//! launch: 40 / 8
//! launch: 33 / 11
//! sizes: any
//! arg a: arange(G[0], dtype=int32)
//! arg out: zeros(G[0], dtype=int32)
//| i = arange(G[0])
//| l = i % L[0]
//| own = i * 5
//| neighbour = (i - l) + (l + 1) % L[0]
//| out[:] = own + neighbour + 2 * (1000 + l) + 3 * (1000 + (l + 1) % L[0])
//| a[:] = out
typedef struct { int *to; const int *from[2]; int count; } view;
int *larger(int *p, int *q) { return *p > *q ? p : q; }
int sum(const view *v) {
    int all = *v->to;
    for (int i = 0; i < v->count; i++)
        all += *v->from[i] * (i + 1);
    return all;
}
kernel void pointers_in_structures(global int *a, global int *out) {
    local int part[1024];
    local view views[1024];
    int i = get_global_id(0), l = get_local_id(0), n = get_local_size(0), own = i * 5, zero = -1;
    part[l] = 1000 + l;
    views[l].to = a + i;
    views[l].from[0] = part + l;
    views[l].from[1] = &part[(l + 1) % n];
    views[l].count = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    view mine = views[(l + 1) % n];
    int neighbour = *mine.to;
    mine = views[l];
    mine.to = larger(&own, &zero);
    mine.count = 1;
    int result = sum(&mine) + neighbour + part[l] + 3 * part[(l + 1) % n];
    out[i] = result;
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    *views[l].to = result;
}
