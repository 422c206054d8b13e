// The condition is loaded from memory and is the same for the group, which the compiler cannot know.
//! launch: 32 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg on: array([1, 0, 0, 1], int32)
//| for n, g in enumerate(a.reshape(-1, L[0])):
//|     if on[n]: g[:] = g[::-1].copy()
//|     g += n
kernel void condition_from_memory(global int *a, global const int *on) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i];
    if (on[get_group_id(0)]) {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[items - 1 - l];
    }
    a[i] = v + get_group_id(0);
}
