// Sub-group functions in regions that cannot run in lanes: they exchange values through memory.
//! options: -cl-std=CL3.0
//! launch: 64 / 32
//! arg a: small_ints(prod(G), int32, 0, 90)
//! arg r: zeros((prod(G), 3), int32)
//| sums = a.reshape(-1, 16).sum(1).repeat(16)
//| r[:] = stack([sums, (2 * (a.reshape(-1, 16) % 256)).sum(1).repeat(16), sums + a], 1)
union word {
    int number;
    uchar bytes[4];
};

kernel void beside_code_without_vector_form(global const int *a, global int *r) {
    int i = get_global_id(0);
    volatile int kept = a[i];
    r[3 * i] = sub_group_reduce_add(kept);
    barrier(CLK_LOCAL_MEM_FENCE);
    union word w;
    for (int k = 0; k < 4; k++)
        w.bytes[(k + a[i]) & 3] = a[i] >> 8 * ((k + a[i]) & 3);
    r[3 * i + 1] = sub_group_reduce_add(w.number + w.bytes[i & 0]);
    barrier(CLK_LOCAL_MEM_FENCE);
    r[3 * i + 2] = sub_group_reduce_add(a[i]) + a[i];
}
