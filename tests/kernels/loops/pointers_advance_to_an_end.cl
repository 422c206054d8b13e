// Loops go on until a pointer reaches another one, in private and in global memory.
//! launch: 64 / 32
//! launch: 24 / 12
//! arg a: small_ints(G[0] * 8, int32, 0, 9)
//! arg r: zeros((G[0], 2), int32)
//! arg n: 5
//| rows = a.reshape(G[0], 8)
//| own = concatenate([rows, rows + 8], 1)
//| own[:, n] = 4
//| r[:, 0] = own[:, :n].sum(1)
//| r[:, 1] = rows[:, :n].sum(1)
kernel void pointers_walk_to_an_end(global const int *a, global int *r, int n) {
    size_t i = get_global_id(0);
    int own[16];
    for (int k = 0; k < 16; k++)
        own[k] = a[i * 8 + (k & 7)] + (k & 8);
    own[n] = 4;
    barrier(CLK_LOCAL_MEM_FENCE);
    int s = 0, t = 0;
    for (int *p = own, *end = own + n; p != end; p++)
        s += *p;
    for (global const int *p = a + i * 8, *end = p + n; p != end; p++)
        t += *p;
    r[i * 2] = s;
    r[i * 2 + 1] = t;
}
