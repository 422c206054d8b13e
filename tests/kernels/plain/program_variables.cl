// Tables in global memory that the program initializes, with addresses of each other, and memory of its own
// that work-items of a group exchange values by.
//! options: -cl-std=CL3.0
//! launch: 128 / 16
//! launch: 60 / 12
//! arg a: small_ints(G[0])
//! arg out: zeros(G[0], int32)
//| step = np.array([3, 1, 4, 1, 5, 9, 2, 6])
//| for first in range(0, G[0], L[0]):
//|     group = a[first:first + L[0]] * step[np.arange(first, first + L[0]) % 8] + 7
//|     out[first:first + L[0]] = np.roll(group, -1) + 40 + 9 + 1 + step[np.arange(first, first + L[0]) % 3]

typedef struct {
    int count;
    global const int *first;
} Table;

global int steps[8] = {3, 1, 4, 1, 5, 9, 2, 6};
constant int offsets[2] = {40, 7};
constant int *global chosen = &offsets[1];
global Table tables[2] = {{8, steps}, {3, &steps[5]}};
global Table *global table = tables;
global int scratch[128];
const global int one = 1;
global const int *constant address_of_one = &one;

int scaled(int x, size_t i) {
    static global int calls = 0;
    return calls + x * table->first[i % table->count];
}

kernel void k(global const int *a, global int *out) {
    size_t i = get_global_id(0);
    size_t last = get_local_size(0) - 1, l = get_local_id(0);
    scratch[i] = scaled(a[i], i) + *chosen;
    barrier(CLK_GLOBAL_MEM_FENCE);
    size_t next = l == last ? i - last : i + 1;
    out[i] = scratch[next] + offsets[0] + *tables[1].first + (address_of_one == &one ? one : 0)
             + steps[i % 3];
}
