// A path that the programmer declares unreachable, next to a barrier.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 50)
//! arg n: 2
//| a[:] = a.reshape(-1, L[0])[:, ::-1].reshape(-1) * 2
kernel void unreachable_way(global int *a, int n) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    t[l] = a[i];
    switch (n) {
    case 1: barrier(CLK_LOCAL_MEM_FENCE); a[i] = t[l]; break;
    case 2: barrier(CLK_LOCAL_MEM_FENCE); a[i] = t[items - 1 - l] * n; break;
    default: __builtin_unreachable();
    }
}
