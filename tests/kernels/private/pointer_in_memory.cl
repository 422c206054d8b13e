// Private pointers are themselves kept in a private array across a barrier.
//! launch: 8 / 4
//! sizes: any
//! arg a: small_ints(G[0])
//| i = arange(G[0])
//| a[:] = where(i % 2 == 1, a + 1, a * 2) + where(i % 2 == 1, a * 2, a + 1) * 10
kernel void pointer_in_memory(global int *a) {
    int i = get_global_id(0), x = a[i] + 1, y = a[i] * 2;
    int *table[2];
    table[i & 1] = &y;
    table[~i & 1] = &x;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = *table[0] + *table[1] * 10;
}
