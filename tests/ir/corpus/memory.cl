// Structures, unions, arrays, and the address spaces.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable

typedef struct {
    char tag;
    int count;
    float4 position;
    short weights[3];
} particle;

typedef struct __attribute__((packed)) {
    uchar kind;
    uint length;
    double value;
} packed_record;

typedef union {
    float as_float;
    uint as_uint;
    uchar bytes[4];
} word;

typedef struct {
    uint low : 5;
    uint middle : 11;
    int high : 16;
} bits;

typedef struct node {
    global struct node *next;
    long payload[2];
} node;

constant int primes[] = {2, 3, 5, 7, 11, 13};
constant float kernel_3x3[3][3] = {{0.0625f, 0.125f, 0.0625f}, {0.125f, 0.25f, 0.125f}, {0.0625f, 0.125f, 0.0625f}};
constant particle seeds[2] = {{'a', 1, (float4)(1, 2, 3, 4), {1, 2, 3}}, {'b', -1, (float4)(0), {0}}};
constant packed_record header = {7, 0xdeadbeefu, 2.5};
constant char greeting[] = "caf\xc3\xa9 \"quoted\" back\\slash\n\0tail";
constant uchar table[256] = {1, [17] = 255, [255] = 3};
constant word words[2] = {{1.5f}, {.as_float = -0.0f}};
constant constant int *constant indirect = &primes[2];
constant half halves[3] = {1.0h, -0.5h, 65504.0h};

kernel void structures(global particle *p, float dt) {
    size_t i = get_global_id(0);
    particle q = p[i];
    q.position += dt * (float4)(q.weights[0], q.weights[1], q.weights[2], 0);
    q.count = q.tag == 'a' ? q.count + 1 : seeds[i & 1].count;
    p[i] = q;
}

kernel void packed_structures(global packed_record *r) {
    size_t i = get_global_id(0);
    r[i].value = r[i].length * header.value;
    r[i].length += header.length;
}

kernel void unions(global word *w) {
    size_t i = get_global_id(0);
    word x = w[i];
    x.as_uint ^= 0x80000000u;
    x.bytes[1] = (uchar)(words[1].as_uint >> 24);
    w[i] = x;
}

kernel void bit_fields(global bits *b) {
    size_t i = get_global_id(0);
    b[i].low = b[i].middle;
    b[i].high -= 3;
}

kernel void linked_list(global node *head, global long *out) {
    long sum = 0;
    for (global node *n = head; n; n = n->next)
        sum += n->payload[0] - n->payload[1];
    *out = sum;
}

kernel void constant_tables(global float *a, global int *b, global uchar *c) {
    int i = get_global_id(0);
    a[i] = kernel_3x3[i % 3][(i + 1) % 3] + (float)halves[i % 3];
    b[i] = primes[i % 6] + indirect[1];
    c[i] = table[i & 255] + greeting[i % 20];
}

kernel void private_arrays(global int *a, int n) {
    int stack[64];
    int matrix[4][8] = {{1, 2, 3}, {4}};
    int top = 0;
    for (int i = 0; i < n; i++)
        stack[top++ & 63] = a[i];
    while (top > 0)
        a[--top] = stack[top & 63] * matrix[top & 3][top & 7];
}

kernel void local_memory(global float *a, local float *scratch) {
    local float tile[16][17];
    local int counter;
    int x = get_local_id(0), y = get_local_id(1);
    if (x == 0 && y == 0)
        counter = 0;
    tile[y][x] = a[y * 16 + x];
    scratch[x] = y;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[y * 16 + x] = tile[x][y] + scratch[15 - x] + counter;
}

kernel void struct_by_value(particle p, packed_record r, global float *out) {
    out[0] = p.position.x + p.weights[2] + r.value;
}

particle make_particle(int n) {
    particle p = {'n', n, (float4)(n), {n, n, n}};
    return p;
}

kernel void struct_results(global particle *p) {
    p[get_global_id(0)] = make_particle(get_global_id(0));
}

kernel void copies(global particle *a, local particle *b, constant particle *c) {
    *b = *c;
    *a = *b;
    __builtin_memset(a + 1, 0, sizeof(particle));
    __builtin_memcpy(a + 2, a, 24);
}

kernel void volatile_access(volatile global int *a, volatile local int *b) {
    *a = *a + 1;
    b[0] = *a;
    while (*a == 0)
        ;
}

kernel void pointer_arithmetic(global int *a, global int *b, global long *out) {
    global int *p = a + get_global_id(0);
    out[0] = p - b;
    out[1] = (long)p;
    out[2] = (uintptr_t)p & 15;
    out[3] = p > b;
    *(global int *)(out[1] + 4) = 1;
    *(global float *)p = 2.0f;
}

void through_private(int *p, int v) { *p = v; }
void through_global(global int *p, int v) { *p = v; }
void through_local(local int *p, int v) { *p = v; }

kernel void address_space_helpers(global int *g, local int *l) {
    int x;
    through_private(&x, 3);
    through_global(g, x);
    through_local(l, x + 1);
    g[1] = l[0];
}

kernel void large_private_object(global int *a) {
    int big[1024];
    for (int i = 0; i < 1024; i++)
        big[i] = a[i];
    for (int i = 0; i < 1024; i++)
        a[i] = big[1023 - i];
}

kernel void restrict_and_hints(global const float *restrict a, global float *restrict b, int n) {
    for (int i = 0; i < n; i++) {
        __builtin_assume(n > 0);
        b[i] = __builtin_expect(a[i] > 0, 1) ? a[i] : 0;
    }
    __builtin_prefetch(a);
}

__attribute__((assume_aligned(64))) global float *row(global float *a, int n);
typedef global float *aligned_floats __attribute__((align_value(32)));

void on_aligned(aligned_floats a) { a[0] += 2; }

kernel void aligned_pointer(global float *a) {
    row(a, 3)[get_global_id(0)] = 1.0f;
    on_aligned(row(a, 4));
}
