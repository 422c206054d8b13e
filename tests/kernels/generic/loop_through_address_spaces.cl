// A pointer advances through private, local and global memory in one loop; address-space queries include array ends.
//! options: -cl-std=CL3.0
//! launch: 32 / 8
//! launch: 45 / 15
//! sizes: any
//! arg a: small_ints(G[0] + 4)
//! arg out: zeros(G[0], dtype=int32)
//| i = arange(G[0])
//| l = i % L[0]
//| a4 = sum(a[i + k] for k in range(4))
//| l4 = sum((l + k) * 2 for k in range(4))
//| p4 = sum(i + k for k in range(4))
//| out[:] = a4 * 100 + l4 * 10 + p4 + 7000
kernel void walks_through_memories(global int *a, global int *out) {
    local int doubled[1028];
    int i = get_global_id(0), l = get_local_id(0), n = get_local_size(0), own[4];
    for (int k = l; k < n + 4; k += n)
        doubled[k] = k * 2;
    for (int k = 0; k < 4; k++)
        own[k] = i + k;
    barrier(CLK_LOCAL_MEM_FENCE);
    int all = 0, factor = 100;
    const int *p = a + i;
    for (int turn = 0; turn < 3; turn++) {
        for (const int *end = p + 4; p != end; p++)
            all += *p * factor;
        factor /= 10;
        p = turn == 0 ? (const int *)(doubled + l) : (const int *)own;
    }
    local int *last = to_local((int *)(doubled + 1028));
    private int *behind = to_private((int *)(own + 4));
    int *unknown = i % 2 ? (int *)(doubled + 1028) : (int *)(own + 4);
    all += 1000 * (last != 0) + 2000 * (behind != 0);
    all += 4000 * (i % 2 ? to_local(unknown) == doubled + 1028 : to_private(unknown) == own + 4);
    out[i] = all;
}
