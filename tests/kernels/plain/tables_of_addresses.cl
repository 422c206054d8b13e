// A table in constant memory holds addresses of other tables; strings and structures are copied from there.
//! launch: 16 / 4
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 6)
//! arg text: zeros(16, uint8)
//| text[:G[0]] = array(list(b"addrspace(1)\0\0\0\0"), uint8)[:G[0]]
//| a[:] = array([[1, 2, 3], [40, 50, 60]])[a % 2, a // 2] + array([7, 8, 9, 7, 8, 9])[a]
typedef struct { int v[3]; } Three;
constant int small[3] = {1, 2, 3};
constant int large[3] = {40, 50, 60};
constant int *constant tables[2] = {small, large};
constant Three values = {{7, 8, 9}};
kernel void tables_of_addresses(global int *a, global uchar *text) {
    constant char *name = "addrspace(1)\0\0\0";
    int i = get_global_id(0), n = a[i];
    Three copy = values;
    a[i] = tables[n & 1][n >> 1] + copy.v[n % 3];
    if (i < 16) text[i] = name[i];
}
