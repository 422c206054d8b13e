// Hints change nothing.
//! launch: 8 / 4
//! sizes: any
//! arg a: small_ints((G[0], 4), float32)
//! arg b: small_ints(G[0], int64)
//| a += 1
kernel void prefetch_hints(global float4 *a, global const long *b) {
    prefetch(a + get_group_id(0) * 4, 4);
    prefetch(b, 8);
    a[get_global_id(0)] += 1;
}
