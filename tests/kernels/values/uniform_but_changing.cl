// A value that is the same for all work-items changes in each region; all must see each change once.
//! launch: 16 / 8
//! sizes: any
//! arg a: zeros(G[0], int32)
//! arg n: 3
//| u = n
//| for k in range(n):
//|     u = u * 2 + k
//|     a += u
//| a += u
kernel void uniform_but_changing(global int *a, int n) {
    int i = get_global_id(0), u = n, sum = 0;
    for (int k = 0; k < n; k++) {
        u = u * 2 + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += u;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = sum + u;
}
