// With a required size, divergent work-items cannot shuffle their values.
//! options: -cl-std=CL3.0
//! error: requires sub-groups of 16 work-items and calls 'sub_group_shuffle' in divergent code
__attribute__((intel_reqd_sub_group_size(16)))
kernel void k(global const int *a, global int *b) {
    size_t i = get_global_id(0);
    if (a[i] % 2)
        b[i] = sub_group_shuffle(a[i], 0);
}
