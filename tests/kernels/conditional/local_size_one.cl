// With one work-item in a group it may decide over barriers by its own ids.
//! launch: 6 / 1
//! arg a: small_ints(6)
//| for i in range(6): a[i] = a[i] * 2 if i % 2 else a[i] - 1
kernel void local_size_one(global int *a) {
    local int t[1];
    int i = get_global_id(0), v = a[i];
    if (i & 1) {
        t[0] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v += t[0];
    } else {
        barrier(CLK_LOCAL_MEM_FENCE);
        v -= 1;
    }
    switch (get_local_id(0)) {
    case 0:
        barrier(CLK_LOCAL_MEM_FENCE);
        break;
    default:
        v = 1000;
    }
    a[i] = v;
}
