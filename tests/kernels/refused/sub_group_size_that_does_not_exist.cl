// Sub-groups have 4, 8, 16 or 32 work-items.
//! options: -cl-std=CL3.0
//! error: requires sub-groups of 5 work-items; supported sizes: 4, 8, 16, 32
__attribute__((intel_reqd_sub_group_size(5)))
kernel void k(global int *b) {
    b[get_global_id(0)] = sub_group_reduce_add(1);
}
