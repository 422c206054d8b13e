// Rows of 20 work-items are not multiples of the lanes: elements of a private array that lives across barriers
// are in order for pieces of the lanes, and for all of them in some versions of a loop.
//! launch: (40, 6) / (20, 3)
//! launch: (12, 6, 4) / (3, 6, 2)
//! arg a: small_ints(prod(G))
//! arg b: zeros(prod(G), int32)
//| rows = a[:, None] * 3 + arange(5)[None, :]
//| rows[arange(a.size), a & 3] = 7
//| b[:] = (rows * 5 ** arange(4, -1, -1)[None, :]).sum(1)
kernel void in_pieces(global const int *a, global int *b) {
    size_t i = get_global_id(2) * get_global_size(1) + get_global_id(1);
    i = i * get_global_size(0) + get_global_id(0);
    int v[5], s = 0;
    for (int k = 0; k < 5; k++)
        v[k] = a[i] * 3 + k;
    barrier(CLK_LOCAL_MEM_FENCE);
    v[a[i] & 3] = 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 5; k++)
        s = s * 5 + v[k];
    b[i] = s;
}
