// Collectives belong to OpenCL C 3.0.
//! error: work_group_reduce_add
kernel void collective_of_version_3(global int *a) { a[0] = work_group_reduce_add(a[0]); }
