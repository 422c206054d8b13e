// Where work-items of a sub-group may diverge, a sub-group has one work-item: a shuffle returns its own value.
//! options: -cl-std=CL3.0
//! launch: 64 / 32
//! arg a: small_ints(G[0], int32, -90, 90)
//! arg b: zeros(G[0], int32)
//| odd = a % 2 != 0
//| b[:] = where(odd, a + 1, 1)
kernel void shuffle_in_divergent_code(global const int *a, global int *b) {
    size_t i = get_global_id(0);
    int found = 0;
    if (a[i] % 2 != 0)
        found = sub_group_shuffle(a[i], get_sub_group_local_id());
    b[i] = found + get_sub_group_size();
}
