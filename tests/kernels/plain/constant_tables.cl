// Tables in constant memory, of the program and of the kernel, and a constant argument.
//! launch: 32 / 8
//! sizes: any
//! arg weights: arange(8, dtype=int32) * 3
//! arg out: zeros(G[0], int32)
//| i = arange(G[0])
//| out[:] = array([2, 3, 5, 7, 11, 13, 17, 19])[i % 8] + array([100, 200, 300, 400])[i % 4] + weights[i // 4 % 8]
constant int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
kernel void constant_tables(constant int *weights, global int *out) {
    constant int hundreds[4] = {100, 200, 300, 400};
    size_t i = get_global_id(0);
    out[i] = primes[i % 8] + hundreds[i & 3] + weights[i / 4 % 8];
}
