// Barriers and fences with every scope and order that the language has, and barriers without flags.
//! options: -cl-std=CL3.0
//! launch: 16 / 8
//! launch: (6, 2) / (3, 2)
//! sizes: 1, 3, 8, 64, (7, 5), 1024
//! arg a: small_ints(prod(G))
//| a[:] = a.reshape(-1, prod(L))[:, ::-1].ravel()
kernel void fences_of_version_3(global int *a) {
    local int t[1024];
    int items = get_local_size(0) * get_local_size(1);
    int item = get_local_linear_id();
    int i = (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * items + item;
    t[item] = a[i];
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
    atomic_work_item_fence(0, memory_order_relaxed, memory_scope_work_item);
    barrier(0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    work_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_scope_device);
    mem_fence(CLK_LOCAL_MEM_FENCE);
    read_mem_fence(CLK_GLOBAL_MEM_FENCE);
    write_mem_fence(CLK_LOCAL_MEM_FENCE);
    a[i] = t[items - 1 - item];
}
