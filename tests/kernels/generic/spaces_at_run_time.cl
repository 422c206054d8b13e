// A work-item's generic pointer points to private, local or global memory, which only its data tell: to_private,
// to_local and to_global give the pointer for one of them and NULL for the others, and get_fence agrees.
//! options: -cl-std=CL3.0
//! launch: 48 / 16
//! launch: 70 / 7
//! sizes: any
//! arg a: arange(G[0], dtype=int32)
//! arg b: zeros(G[0], dtype=int32)
//! arg s: array([7, 8], dtype=int32)
//! arg part: L[0] * 4
//| i = arange(G[0])
//| kind = i % 6
//| value = choose(kind, [i * 3, i, 100 + i % L[0], 200 + i % L[0], 50 + i * 0, 7 + i * 0])
//| which = choose(kind, [i * 0 + 1, i * 0 + 2, i * 0 + 4, i * 0 + 4, i * 0 + 2, i * 0 + 1])
//| fence = choose(kind, [i * 0, i * 0 + 2, i * 0 + 1, i * 0 + 1, i * 0 + 2, i * 0])
//| b[:] = value + 1000 * which + 10000 * fence
//| a[kind == 1] += 1
typedef struct { int x, y; } pair;
global int fifty = 50;
kernel void spaces_at_run_time(global int *a, global int *b, pair s, local int *part) {
    local int whole[1024];
    int i = get_global_id(0), l = get_local_id(0), own[2] = {0, i * 3};
    part[l] = 100 + l;
    whole[l] = 200 + l;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = 0;
    switch (i % 6) {
    case 0: p = own + 1; break;
    case 1: p = a + i; break;
    case 2: p = part + l; break;
    case 3: p = whole + l; break;
    case 4: p = &fifty; break;
    case 5: p = &s.x; break;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    private int *q = to_private(p);
    global int *g = to_global(p);
    local int *m = to_local(p);
    int value = q ? *q : g ? *g : *m;
    int which = (q == p) + 2 * (g == p) + 4 * (m == p);
    b[i] = value + 1000 * which + 10000 * get_fence(p);
    if (i % 6 == 1)
        *p += 1;
}
