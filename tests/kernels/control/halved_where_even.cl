// A number is halved after each round, and in rounds where it is even for another use too; `limit` is not met.
//! launch: 64 / 16
//! sizes: any
//! arg a: rng.integers(0, 2**32, G[0], uint32)
//! arg limit: 5000
//| for g, v in enumerate(a.tolist()):
//|     i, total = 1 + v % 8, 0
//|     while i:
//|         total += 100 + (i // 2 if i % 4 == 0 and v & 16 else 0)
//|         i //= 2
//|     a[g] = total
kernel void halved_where_even(global uint *a, uint limit) {
    uint g = get_global_id(0), v = a[g], total = 0;
    for (uint i = 1 + (v & 7); i > 0; i >>= 1) {
        total += 100;
        if ((i & 3) == 0)
            if (v & 16) total += i / 2;
        if (total > limit) break;
    }
    a[g] = total;
}
