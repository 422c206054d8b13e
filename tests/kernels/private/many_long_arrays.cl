// Arrays of 6 KiB that together exceed what is kept on the stack.
//! launch: 20 / 4
//! launch: 3 / 1
//! arg a: small_ints((G[0],), uint32)
//! arg out: zeros(G[0], uint32)
//| for g in range(G[0]):
//|     x, sum = int(a[g]), 0
//|     tables = [[(k * (i + 3) + x) % 2**32 for k in range(1500)] for i in range(9)]
//|     for i, table in enumerate(tables):
//|         for k in range(100): table[(k * x + i) % 2**32 % 1500] += k
//|     for k in range(1500):
//|         bits = 0
//|         for table in tables: bits ^= table[k] % 2**32
//|         sum = (sum * 3 + bits) % 2**32
//|     out[g] = sum
kernel void many_long_arrays(global const uint *a, global uint *out) {
    int g = get_global_id(0);
    uint x = a[g], sum = 0;
    uint t0[1500];
    for (int k = 0; k < 1500; k++) t0[k] = k * 3 + x;
    for (int k = 0; k < 100; k++) t0[(k * x + 0) % 1500u] += k;
    uint t1[1500];
    for (int k = 0; k < 1500; k++) t1[k] = k * 4 + x;
    for (int k = 0; k < 100; k++) t1[(k * x + 1) % 1500u] += k;
    uint t2[1500];
    for (int k = 0; k < 1500; k++) t2[k] = k * 5 + x;
    for (int k = 0; k < 100; k++) t2[(k * x + 2) % 1500u] += k;
    uint t3[1500];
    for (int k = 0; k < 1500; k++) t3[k] = k * 6 + x;
    for (int k = 0; k < 100; k++) t3[(k * x + 3) % 1500u] += k;
    uint t4[1500];
    for (int k = 0; k < 1500; k++) t4[k] = k * 7 + x;
    for (int k = 0; k < 100; k++) t4[(k * x + 4) % 1500u] += k;
    uint t5[1500];
    for (int k = 0; k < 1500; k++) t5[k] = k * 8 + x;
    for (int k = 0; k < 100; k++) t5[(k * x + 5) % 1500u] += k;
    uint t6[1500];
    for (int k = 0; k < 1500; k++) t6[k] = k * 9 + x;
    for (int k = 0; k < 100; k++) t6[(k * x + 6) % 1500u] += k;
    uint t7[1500];
    for (int k = 0; k < 1500; k++) t7[k] = k * 10 + x;
    for (int k = 0; k < 100; k++) t7[(k * x + 7) % 1500u] += k;
    uint t8[1500];
    for (int k = 0; k < 1500; k++) t8[k] = k * 11 + x;
    for (int k = 0; k < 100; k++) t8[(k * x + 8) % 1500u] += k;
    for (int k = 0; k < 1500; k++) sum = sum * 3 + (t0[k] ^ t1[k] ^ t2[k] ^ t3[k] ^ t4[k] ^ t5[k] ^ t6[k] ^ t7[k] ^ t8[k]);
    out[g] = sum;
}
