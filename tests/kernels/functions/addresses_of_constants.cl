// Functions and kernels have the same constants: addresses that one takes are equal to those of the other, and
// their differences are indices. Where the program wants its functions and constants to be linked is all the same.
//! launch: 24 / 8
//! launch: 7 / 7
//! arg a: zeros(G[0], dtype=int32)
//| i = arange(G[0])
//| a[:] = i % 7 + 100 * (i % 2 == 0) + i % 5 + 1 + 1000 * (i % 3 == 0)
constant int table[40] = {9, 8, 7, 6};
constant int behind[4] __attribute__((section(".behind"))) = {1, 2, 3, 4};
constant int *constant starts[2] = {table, behind};
constant char *constant name = "name";
__attribute__((section(".own"))) int index_of(constant int *p) { return p - starts[0]; }
int is_first(constant int *p) { return p == table; }
int is_name(constant char *p) { return p == name; }
constant int *after(constant int *p, int n) { return p + n; }
kernel void addresses_of_constants(global int *a) {
    int i = get_global_id(0);
    int all = index_of(table + i % 7) + 100 * is_first(table + i % 2);
    all += after(starts[0], i % 5) - table + *after(starts[1], 0);
    a[i] = all + 1000 * is_name(i % 3 == 0 ? name : name + 1);
}
