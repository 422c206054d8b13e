/* Freeing shared virtual memory as a command, for clEnqueueSVMFree. */
#include "internal.h"

typedef void free_callback(uintptr_t queue, uint32_t count, void **pointers, void *user_data);

typedef struct svm_free_arguments {
    free_callback *callback; /* NULL: the memory is freed here */
    uintptr_t queue;
    void *user_data;
    uint64_t count;
    void *pointers[];
} svm_free_arguments;

static void svm_free(void *block) {
    svm_free_arguments *arguments = block;
    if (arguments->callback) {
        arguments->callback(arguments->queue, (uint32_t)arguments->count, arguments->pointers,
                            arguments->user_data);
        return;
    }
    for (uint64_t i = 0; i < arguments->count; i++)
        weft_free(arguments->pointers[i]);
}

uintptr_t weft_svm_free_function(void) {
    return (uintptr_t)svm_free;
}
