/* Function pointers that the other files use: the worker pool, the Python entries and the callbacks. */
#define _GNU_SOURCE
#include "hot_internal.h"

#include <stdatomic.h>
#include <stdlib.h>

hot_pool_functions hot_pool;
weft_hot_fallbacks hot_python;
int32_t (*hot_interrupted)(void);
int (*hot_may_enter)(void);
int (*hot_within)(void);
void (*hot_carry_out)(void);
void (*hot_prepare)(void);
void *(*hot_release_gil)(void);
void (*hot_reacquire_gil)(void *state);
int (*hot_is_alone)(void);

static _Atomic uintptr_t at_exit;

static void run_at_exit(void) {
    uintptr_t function = atomic_exchange(&at_exit, 0);
    if (function)
        ((void (*)(void))function)();
}

void weft_hot_at_exit(uintptr_t function) {
    static _Atomic int registered;
    if (function && !atomic_exchange(&registered, 1))
        atexit(run_at_exit);
    atomic_store(&at_exit, function);
}

weft_hot_fallbacks weft_hot_install(const weft_hot_fallbacks *entries, const weft_hot_callbacks *callbacks) {
    hot_python = *entries;
    hot_interrupted = (int32_t (*)(void))callbacks->interrupted;
    hot_may_enter = (int (*)(void))callbacks->may_enter;
    hot_within = (int (*)(void))callbacks->within;
    hot_carry_out = (void (*)(void))callbacks->carry_out;
    hot_prepare = (void (*)(void))callbacks->prepare;
    hot_release_gil = (void *(*)(void))callbacks->release_gil;
    hot_reacquire_gil = (void (*)(void *))callbacks->reacquire_gil;
    hot_is_alone = (int (*)(void))callbacks->is_alone;
#define COUNTED_ENTRIES(name) .retain_##name = (uintptr_t)hot_retain_##name, .release_##name = (uintptr_t)hot_release_##name
    return (weft_hot_fallbacks){.enqueue_ndrange_kernel = (uintptr_t)hot_enqueue,
                                .set_kernel_arg = (uintptr_t)hot_set_argument,
                                .set_kernel_arg_svm_pointer = (uintptr_t)hot_set_svm_pointer,
                                .set_kernel_arg_mem_pointer_intel = (uintptr_t)hot_set_mem_pointer,
                                .set_kernel_exec_info = (uintptr_t)hot_set_info,
                                .finish = (uintptr_t)hot_finish,
                                .flush = (uintptr_t)hot_flush,
                                .wait_for_events = (uintptr_t)hot_wait,
                                .get_event_info = (uintptr_t)hot_event_info,
                                .get_event_profiling_info = (uintptr_t)hot_profiling_info,
                                .set_user_event_status = (uintptr_t)hot_set_user_event_status,
                                .enqueue_marker_with_wait_list = (uintptr_t)hot_marker,
                                .enqueue_barrier_with_wait_list = (uintptr_t)hot_barrier,
                                .enqueue_svm_memcpy = (uintptr_t)hot_svm_memcpy,
                                .enqueue_memcpy_intel = (uintptr_t)hot_memcpy_intel,
                                .enqueue_svm_mem_fill = (uintptr_t)hot_svm_fill,
                                .enqueue_mem_fill_intel = (uintptr_t)hot_fill_intel,
                                .enqueue_migrate_mem_intel = (uintptr_t)hot_migrate_intel,
                                .enqueue_mem_advise_intel = (uintptr_t)hot_advise_intel,
                                .host_mem_alloc_intel = (uintptr_t)hot_host_alloc,
                                .device_mem_alloc_intel = (uintptr_t)hot_device_alloc,
                                .shared_mem_alloc_intel = (uintptr_t)hot_shared_alloc,
                                .get_mem_alloc_info_intel = (uintptr_t)hot_get_mem_alloc_info,
                                .svm_free = (uintptr_t)hot_svm_free,
                                .mem_free_intel = (uintptr_t)hot_mem_free,
                                .mem_blocking_free_intel = (uintptr_t)hot_mem_blocking_free,
                                .enqueue_command_buffer_khr = (uintptr_t)hot_enqueue_buffer,
                                .get_device_info = (uintptr_t)hot_get_device_info,
                                .get_context_info = (uintptr_t)hot_get_context_info,
                                .get_command_queue_info = (uintptr_t)hot_get_command_queue_info,
                                .create_command_queue_with_properties = (uintptr_t)hot_create_queue,
                                .create_buffer = (uintptr_t)hot_create_buffer,
                                .enqueue_read_buffer = (uintptr_t)hot_read_buffer,
                                .enqueue_write_buffer = (uintptr_t)hot_write_buffer,
                                .enqueue_copy_buffer = (uintptr_t)hot_copy_buffer,
                                .enqueue_fill_buffer = (uintptr_t)hot_fill_buffer,
                                .create_program_with_il = (uintptr_t)hot_create_program_with_il,
                                .set_program_specialization_constant = (uintptr_t)hot_specialize,
                                .build_program = (uintptr_t)hot_build_program,
                                .get_program_info = (uintptr_t)hot_get_program_info,
                                .get_program_build_info = (uintptr_t)hot_get_build_info,
                                .create_kernel = (uintptr_t)hot_create_kernel,
                                .get_kernel_info = (uintptr_t)hot_get_kernel_info,
                                .get_kernel_work_group_info = (uintptr_t)hot_get_work_group_info,
                                .get_kernel_sub_group_info = (uintptr_t)hot_get_sub_group_info,
                                .get_kernel_sub_group_info_khr = (uintptr_t)hot_get_sub_group_info_khr,
                                COUNTED_ENTRIES(device), COUNTED_ENTRIES(context), COUNTED_ENTRIES(command_queue),
                                COUNTED_ENTRIES(mem_object), COUNTED_ENTRIES(sampler), COUNTED_ENTRIES(program),
                                COUNTED_ENTRIES(kernel), COUNTED_ENTRIES(event), COUNTED_ENTRIES(command_buffer_khr)};
#undef COUNTED_ENTRIES
}
