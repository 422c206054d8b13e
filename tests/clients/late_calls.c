/* A library that calls OpenCL when the process ends, as static objects of C++ do; Python is gone by then. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CL_MEM_SIZE = 0x1102 };

static int32_t (*query)(uintptr_t, uint32_t, size_t, void *, size_t *);
static int32_t (*finish)(uintptr_t);
static uintptr_t memory, queue;

static void last(void) {
    size_t size = 0;
    int32_t queried = query(memory, CL_MEM_SIZE, sizeof size, &size, NULL), finished = finish(queue);
    printf("%d %d %zu\n", queried, finished, size);
}

__attribute__((visibility("default"))) void call_last(void *query_function, void *finish_function, uintptr_t m,
                                                      uintptr_t q) {
    *(void **)&query = query_function;
    *(void **)&finish = finish_function;
    memory = m, queue = q;
    atexit(last);
}
