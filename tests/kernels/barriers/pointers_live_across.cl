// Pointers to global, local and constant memory live across a barrier.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg b: small_ints(G[0])
//| first = a > 0
//| result = (where(first, a, b) * 2).reshape(-1, L[0])[:, ::-1].reshape(-1) + where(a % 2 == 1, 5, 9)
//| a[first] = result[first]
//| b[~first] = result[~first]
constant int five = 5, nine = 9;
kernel void pointers_live_across(global int *a, global int *b) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    global int *p = a[i] > 0 ? a + i : b + i;
    local int *slot = t + (items - 1 - l);
    constant int *c = (a[i] & 1) ? &five : &nine;
    *slot = *p * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    *p = t[l] + *c;
}
