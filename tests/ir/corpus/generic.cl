// The generic address space and program-scope variables of OpenCL 2 and later.

typedef struct {
    int values[4];
    struct {
        float x, y;
    } inner[2];
} nested;

global int counter = 5;
global nested state = {{1, 2, 3, 4}, {{1.5f, 2.5f}, {-1.0f, 0.1f}}};
global int *global pointer = &state.values[2];
constant char *constant names[] = {"alpha", "beta", "gamma"};
static global float cache_line[32];

int read_generic(const int *p) { return *p; }

kernel void generic_pointers(global int *g, local int *l, int n) {
    int x = n;
    int *p = n > 0 ? (int *)g : n < 0 ? (int *)l : &x;
    *p += read_generic(g) + read_generic(l) + read_generic(&x);
}

kernel void program_scope(global int *a) {
    counter++;
    state.inner[1].y += pointer[0];
    a[0] = counter + names[1][2];
    cache_line[get_local_id(0) & 31] = a[0];
}

kernel void explicit_casts(global char *a, local char *b) {
    void *p = a;
    global int *q = to_global((int *)p);
    local int *r = to_local((int *)(char *)b);
    if (q)
        *q = 1;
    if (r)
        *r = 2;
}

kernel void c11_atomics(global atomic_int *a, global atomic_uint *u, local atomic_flag *flag) {
    atomic_store(a, 1);
    atomic_fetch_add_explicit(a, 2, memory_order_relaxed, memory_scope_device);
    int expected = 3;
    atomic_compare_exchange_strong_explicit(a, &expected, 4, memory_order_acq_rel, memory_order_relaxed, memory_scope_work_group);
    __opencl_atomic_fetch_max(u, 7u, __ATOMIC_SEQ_CST, __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES);
    __opencl_atomic_store(a, __opencl_atomic_load(a, __ATOMIC_ACQUIRE, __OPENCL_MEMORY_SCOPE_SUB_GROUP),
                          __ATOMIC_RELEASE, __OPENCL_MEMORY_SCOPE_WORK_GROUP);
}

kernel void work_group_scopes(global int *a) {
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    a[get_global_linear_id()] = get_enqueued_local_size(0);
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
}
