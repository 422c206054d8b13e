/* Kernel arguments: setting them, and checking them for a launch. */
#define _GNU_SOURCE
#include "hot_internal.h"

#include <string.h>

enum { INVALID_ARG_INDEX = -49, INVALID_ARG_VALUE = -50, INVALID_ARG_SIZE = -51, INVALID_KERNEL_ARGS = -52 };
enum { ARENA_ALIGNMENT = 128 }; /* as in weft/abi.py */

static void write_slot(const weft_hot_argument *argument, uint64_t value) {
    memcpy((void *)argument->slot, &value, sizeof value);
}

static uint64_t read_slot(const weft_hot_argument *argument) {
    uint64_t value;
    memcpy(&value, (const void *)argument->slot, sizeof value);
    return value;
}

/* Saturating addition: UINT64_MAX is more local memory than any device has. */
static uint64_t add(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void weft_hot_set_local(weft_hot_kernel *kernel, uint32_t index, uint64_t size) {
    weft_hot_argument *argument = &kernel->arguments[index];
    if (argument->is_set && argument->local_size == size)
        return;
    argument->local_size = size;
    argument->is_set = 1;
    uint64_t end = kernel->fixed_local_bytes;
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        argument = &kernel->arguments[i];
        if (argument->kind != WEFT_HOT_LOCAL || !argument->is_set)
            continue;
        uint64_t start = add(end, ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
        write_slot(argument, start);
        end = add(start, argument->local_size);
    }
    __atomic_store_n(&kernel->local_bytes, end, __ATOMIC_RELAXED);
    __atomic_fetch_add(&kernel->layout, 1, __ATOMIC_RELEASE);
}

int32_t hot_check_arguments(const weft_hot_kernel *kernel) {
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        const weft_hot_argument *argument = &kernel->arguments[i];
        if (!argument->is_set)
            return INVALID_KERNEL_ARGS;
        /* The handle may have been reused for another buffer, which has a different address. */
        if (argument->kind == WEFT_HOT_MEMORY && argument->memory &&
            weft_hot_memory(argument->memory) != read_slot(argument))
            return INVALID_KERNEL_ARGS;
    }
    return SUCCESS;
}

static int32_t set_memory(const weft_hot_kernel *kernel, weft_hot_argument *argument, const void *value) {
    uintptr_t handle = 0;
    if (value)
        memcpy(&handle, value, sizeof handle);
    const block *memory = hot_find(handle, WEFT_HOT_BUFFER);
    if (handle && !memory)
        return INVALID_MEMORY;
    if (memory && memory->context != kernel->context)
        return INVALID_CONTEXT;
    argument->memory = handle;
    write_slot(argument, memory ? atomic_load(&memory->native) : 0);
    argument->is_set = 1;
    return SUCCESS;
}

enum { BY_PYTHON = 1 }; /* returned instead of an error code: Python must handle the call */

static int32_t set_argument(weft_hot_kernel *kernel, uint32_t index, size_t size, const void *value) {
    if (index >= kernel->argument_count)
        return INVALID_ARG_INDEX;
    weft_hot_argument *argument = &kernel->arguments[index];
    switch (argument->kind) {
    case WEFT_HOT_VALUE:
        if (!value)
            return INVALID_ARG_VALUE;
        if (size != argument->size)
            return INVALID_ARG_SIZE;
        memcpy((void *)argument->slot, value, size);
        argument->is_set = 1;
        return SUCCESS;
    case WEFT_HOT_MEMORY:
        return size == sizeof(uintptr_t) ? set_memory(kernel, argument, value) : INVALID_ARG_SIZE;
    case WEFT_HOT_LOCAL:
        if (value)
            return INVALID_ARG_VALUE;
        weft_hot_set_local(kernel, index, size);
        return SUCCESS;
    default:
        return BY_PYTHON;
    }
}

int32_t hot_set_argument(uintptr_t handle, uint32_t index, size_t size, const void *value) {
    weft_hot_kernel *kernel = hot_find_kernel(handle);
    int32_t code = kernel                                  ? set_argument(kernel, index, size, value)
                   : hot_find(handle, WEFT_HOT_KERNEL) ? BY_PYTHON
                                                           : INVALID_KERNEL;
    if (!code)
        return SUCCESS;
    /* For errors, Python calls the error callback of the context. */
    return code == BY_PYTHON || hot_may_enter() ? PYTHON(set_argument_entry, set_kernel_arg)(handle, index, size, value)
                                                : code;
}

static int32_t set_pointer(set_pointer_entry *python_entry, uintptr_t handle, uint32_t index, uintptr_t value) {
    weft_hot_kernel *kernel = hot_find_kernel(handle);
    if (kernel && index < kernel->argument_count && kernel->arguments[index].kind == WEFT_HOT_MEMORY) {
        weft_hot_argument *argument = &kernel->arguments[index];
        argument->memory = 0;
        write_slot(argument, value);
        argument->is_set = 1;
        return SUCCESS;
    }
    if (hot_may_enter() || (!kernel && hot_find(handle, WEFT_HOT_KERNEL)))
        return python_entry(handle, index, value);
    return !kernel ? INVALID_KERNEL : index >= kernel->argument_count ? INVALID_ARG_INDEX : INVALID_ARG_VALUE;
}

int32_t hot_set_svm_pointer(uintptr_t kernel, uint32_t index, uintptr_t value) {
    return set_pointer(PYTHON(set_pointer_entry, set_kernel_arg_svm_pointer), kernel, index, value);
}

int32_t hot_set_mem_pointer(uintptr_t kernel, uint32_t index, uintptr_t value) {
    return set_pointer(PYTHON(set_pointer_entry, set_kernel_arg_mem_pointer_intel), kernel, index, value);
}

/* Kernels may access all memory of the process, so valid information changes nothing. */
static int32_t check_info(uint32_t param, size_t size, const void *value) {
    enum { SVM_POINTERS = 0x11B6, FINE_GRAIN_SYSTEM, HOST_ACCESS = 0x4200, DEVICE_ACCESS, SHARED_ACCESS, POINTERS };
    if (!value != !size)
        return INVALID_VALUE;
    switch (param) {
    case SVM_POINTERS:
    case POINTERS: /* an empty list is valid: it replaces earlier pointers */
        return size % sizeof(void *) ? INVALID_VALUE : SUCCESS;
    case FINE_GRAIN_SYSTEM:
    case HOST_ACCESS:
    case DEVICE_ACCESS:
    case SHARED_ACCESS:
        return size == sizeof(uint32_t) ? SUCCESS : INVALID_VALUE;
    default:
        return INVALID_VALUE;
    }
}

int32_t hot_set_info(uintptr_t kernel, uint32_t param, size_t size, const void *value) {
    int32_t code = hot_find(kernel, WEFT_HOT_KERNEL) ? check_info(param, size, value) : INVALID_KERNEL;
    return code && hot_may_enter() ? PYTHON(set_info_entry, set_kernel_exec_info)(kernel, param, size, value) : code;
}
