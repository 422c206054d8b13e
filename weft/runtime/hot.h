/* Handles with their reference counts, and the calls that do not need Python: launching a prepared kernel, waiting,
 * queries of events, retaining and releasing. docs/runtime.md tells the story.
 *
 * build_hot.py hands the lines between the two cffi marks to cffi as they stand.
 */
#ifndef WEFT_HOT_H
#define WEFT_HOT_H

#include <stddef.h>
#include <stdint.h>

/* cffi begin */
/* The functions of the worker pool, given as addresses, and those of Python that take what is left over. */
typedef struct weft_hot_functions {
    uintptr_t enqueue_ndrange, enqueue_deferred, deferred_fail, enqueue_copy, enqueue_fill, enqueue_marker, enqueue_barrier;
    uintptr_t replay;
    uintptr_t command_release, command_status, command_times, command_wait, command_cancel, user_complete;
    uintptr_t queue_new, queue_release, queue_finish, queue_flush, notify_post, allocate, free, waits, name_function;
} weft_hot_functions;

/* The entries that C stands before, by the names of their functions; and what C calls of Python beside them. */
typedef struct weft_hot_fallbacks {
    uintptr_t enqueue_ndrange_kernel, set_kernel_arg, set_kernel_arg_svm_pointer, set_kernel_arg_mem_pointer_intel;
    uintptr_t set_kernel_exec_info;
    uintptr_t finish, flush, wait_for_events, get_event_info, get_event_profiling_info, set_user_event_status;
    uintptr_t enqueue_marker_with_wait_list, enqueue_barrier_with_wait_list, enqueue_svm_memcpy, enqueue_memcpy_intel;
    uintptr_t enqueue_svm_mem_fill, enqueue_mem_fill_intel, enqueue_migrate_mem_intel, enqueue_mem_advise_intel;
    uintptr_t retain_device, retain_context, retain_command_queue, retain_mem_object, retain_sampler;
    uintptr_t retain_program, retain_kernel, retain_event, retain_command_buffer_khr;
    uintptr_t release_device, release_context, release_command_queue, release_mem_object, release_sampler;
    uintptr_t release_program, release_kernel, release_event, release_command_buffer_khr;
    uintptr_t host_mem_alloc_intel, device_mem_alloc_intel, shared_mem_alloc_intel, get_mem_alloc_info_intel;
    uintptr_t create_command_queue_with_properties, create_buffer, enqueue_read_buffer, enqueue_write_buffer, enqueue_copy_buffer, enqueue_fill_buffer;
    uintptr_t create_program_with_il, set_program_specialization_constant, build_program, create_kernel;
    uintptr_t get_program_info, get_program_build_info;
    uintptr_t svm_free, mem_free_intel, mem_blocking_free_intel, enqueue_command_buffer_khr;
    uintptr_t get_device_info, get_context_info, get_command_queue_info, get_kernel_info, get_kernel_work_group_info;
    uintptr_t get_kernel_sub_group_info, get_kernel_sub_group_info_khr;
} weft_hot_fallbacks;

typedef struct weft_hot_callbacks {
    uintptr_t interrupted;   /* what to return for a wait that a handler of a signal ended */
    uintptr_t may_enter;     /* 0: the thread would have to wait for Python's lock, which a client's thread may hold */
    uintptr_t within;        /* 1: the thread is in a call already, and Weft may hold locks */
    uintptr_t carry_out;     /* has Python carry out what weft_hot_next_deletion and weft_hot_next_free give */
    uintptr_t prepare;       /* has Python prepare what weft_hot_next_deferred gives */
    uintptr_t let_go;        /* gives up Python's lock if the thread has it, and what take_back needs to take it again */
    uintptr_t take_back;
    uintptr_t is_alone;      /* 1: the thread may enter Python, and no other thread of the client can take its lock there */
} weft_hot_callbacks;

/* What a handle stands for. */
enum {
    WEFT_HOT_OTHER, WEFT_HOT_ROOT_DEVICE, WEFT_HOT_SUB_DEVICE, WEFT_HOT_CONTEXT, WEFT_HOT_QUEUE, WEFT_HOT_BUFFER,
    WEFT_HOT_IMAGE, WEFT_HOT_SAMPLER, WEFT_HOT_PROGRAM, WEFT_HOT_KERNEL, WEFT_HOT_EVENT, WEFT_HOT_COMMAND_BUFFER
};

/* An event that Python has not seen: taken over, with its reference to the native command. */
typedef struct weft_hot_event {
    uintptr_t command, queue;
    uint32_t type;
} weft_hot_event;

/* The commands of a command buffer, as the pool replays them, and the queue that they are for. */
typedef struct weft_hot_sequence {
    uintptr_t queue, records;
    uint32_t count;
} weft_hot_sequence;

/* Memory that a thread freed which could not enter Python. */
typedef struct weft_hot_freed {
    uintptr_t context, pointer;
    uint32_t is_svm; /* from clSVMAlloc */
} weft_hot_freed;

/* Unified shared memory. `device` is 0 for memory of all devices of the context. */
typedef struct weft_hot_allocation {
    uintptr_t address, context, device;
    uint64_t size, flags;
    uint32_t kind;
} weft_hot_allocation;

typedef struct weft_hot_device_limit {
    uintptr_t device;
    uint64_t most_bytes; /* of one allocation */
    uint64_t number;     /* among the devices of the platform */
    uintptr_t pool;      /* which its queues are of */
} weft_hot_device_limit;
enum { WEFT_HOT_NO_NUMBER = 0x7fffffff }; /* of a sub-device */

/* A specialization constant. */
typedef struct weft_hot_constant {
    uint32_t id, size;
    unsigned char value[16];
} weft_hot_constant;

/* Who built a program in SPIR-V, as C knows it. */
enum {
    WEFT_HOT_FRESH,           /* nobody */
    WEFT_HOT_BUILDING,        /* C is having it built by another process */
    WEFT_HOT_BUILT_HERE,      /* C had */
    WEFT_HOT_FAILED_HERE,
    WEFT_HOT_BUILT_BY_PYTHON, /* with success, for all devices */
    WEFT_HOT_PYTHONS          /* anything else that Python does with it */
};

/* A program in SPIR-V with what was done to it; `version` changes with what C does. */
typedef struct weft_hot_program {
    uintptr_t context;
    const unsigned char *il;
    size_t il_bytes;
    weft_hot_constant *constants;
    uint32_t constant_count, version, state;
    char *options; /* of the last build; NULL: none */
} weft_hot_program;

/* What the client passes for a launch; `given` tells which of the pointers are not NULL. */
typedef struct weft_hot_key {
    uint64_t global_size[3], local_size[3], offset[3];
    uint32_t work_dim, given;
} weft_hot_key;

enum { WEFT_HOT_LOCAL_SIZE = 1, WEFT_HOT_OFFSET = 2 };

/* An argument of a kernel. `memory` is the handle of the memory object whose address the slot holds, 0 for none;
 * `local_size` is for local pointers, whose slots hold offsets in the local arena. */
enum { WEFT_HOT_BY_PYTHON, WEFT_HOT_VALUE, WEFT_HOT_MEMORY, WEFT_HOT_LOCAL };
typedef struct weft_hot_argument {
    uint32_t kind, is_set; /* Python alone sets images, samplers and pipes */
    uint64_t size;
    uintptr_t slot, memory;
    uint64_t local_size;
} weft_hot_argument;

/* A kernel: its arguments, the block that their slots are in, and what the sizes of a launch are checked against. */
typedef struct weft_hot_kernel {
    uintptr_t context, block;
    uint64_t block_bytes;
    weft_hot_argument *arguments;
    uint32_t argument_count;
    uint32_t layout;              /* changes with the size of a local pointer */
    uint64_t fixed_local_bytes;   /* of local variables */
    uint64_t local_bytes;         /* and of what local pointers point to */
    uint32_t is_deferrable;       /* no argument is Python's, and the limits hold for all devices */
    uint32_t is_uniform;          /* the local size must divide the global size */
    uint32_t is_spirv;            /* its program is in SPIR-V, so C may have made it */
    uint64_t required_size[3];    /* 0: any */
    uint64_t most_items[3], most_group_items, most_local_bytes;
    uint64_t sub_group_size;
    uintptr_t launches; /* that are kept, for the native side */
    uintptr_t program;  /* its handle */
    const char *name;
} weft_hot_kernel;

/* The result of a query: what it gives, or an error, or where the result is. `about` is the device of a query of a kernel. */
enum { WEFT_HOT_INFO, WEFT_HOT_WORK_GROUP_INFO, WEFT_HOT_SUB_GROUP_INFO, WEFT_HOT_BUILD_INFO };
enum {
    WEFT_HOT_GIVEN,
    WEFT_HOT_REFERENCES,  /* the count of the moment */
    WEFT_HOT_LOCAL_BYTES, /* of the kernel */
    WEFT_HOT_COMPUTE,     /* depends on what the client passes */
    WEFT_HOT_ASK          /* only Python knows */
};
typedef struct weft_hot_result {
    uint64_t about;
    uint32_t family, param;
    int32_t code;
    uint32_t size;
    uint64_t offset; /* of the value in the bytes */
} weft_hot_result;

/* The request to another process to build a program; devices, constants, options and words follow. */
enum { WEFT_HOT_MAGIC = 0x57454654 };
typedef struct weft_hot_request {
    uint64_t magic, is_launch, program, context, device_count, constant_count, option_bytes, il_bytes;
} weft_hot_request;

/* What follows if a launch is to be prepared; then the name of the kernel and the block of its arguments. */
typedef struct weft_hot_launch {
    weft_hot_key key;
    uint64_t local_bytes, layout, are_disjoint, waits; /* of the host for commands, so far */
    uintptr_t name, block;
    uint64_t name_bytes, block_bytes;
} weft_hot_launch;

/* The reply to that. */
enum { WEFT_HOT_LAUNCH_BYTES = 112 };
typedef struct weft_hot_prepared {
    uint64_t magic;
    int32_t code; /* of the enqueue; WEFT_HOT_ASK: it could not be prepared */
    uint32_t is_lasting, requires_noalias, layout;
    uintptr_t function;
    uint64_t local_bytes, context_bytes;
    unsigned char launch[WEFT_HOT_LAUNCH_BYTES];
} weft_hot_prepared;

/* Memory that a builder shares with this process: addresses of functions that kernels call, code, variables. */
typedef struct weft_hot_region {
    uint64_t magic, at, table_bytes, code_bytes, data_bytes;
} weft_hot_region;

/* Its reply: the results of queries about the program with their bytes, then the kernels. All parts are filled up to words
 * of 8 bytes. */
typedef struct weft_hot_built {
    uint64_t magic, bytes; /* of all */
    int32_t code;          /* of clBuildProgram */
    uint32_t kernel_count;
    uint64_t result_count, value_bytes;
} weft_hot_built;

/* A kernel of the reply; its name, arguments, whose slots are offsets in the block, results and their bytes follow. */
typedef struct weft_hot_built_kernel {
    weft_hot_kernel kernel;
    uint64_t name_bytes, result_count, value_bytes, only_device;
} weft_hot_built_kernel;

/* A queue that Python has not met: taken over, with its reference to the native queue. */
typedef struct weft_hot_queue {
    uintptr_t native, context, device;
    uint64_t properties, words[7]; /* as bits; and the list that the client passed */
    uint32_t word_count;
} weft_hot_queue;

/* A buffer that Python has not met. */
typedef struct weft_hot_unmet_buffer {
    uintptr_t context, address, host_pointer;
    uint64_t size;
    uint32_t flags;
} weft_hot_unmet_buffer;

/* A launch that waits for Python to prepare it, with what it needs to know of the arguments that the command has. */
typedef struct weft_hot_deferred {
    uintptr_t kernel, queue, command;
    weft_hot_key key;
    uint64_t local_bytes;
    uint32_t layout, are_disjoint;
} weft_hot_deferred;

void weft_hot_start(const weft_hot_functions *functions);
/* The first word of every handle, now and later. */
void weft_hot_set_dispatch(uintptr_t dispatch);
/* The functions that a dispatch table may hold for these entries; they pass on what they cannot do. */
weft_hot_fallbacks weft_hot_install(const weft_hot_fallbacks *python, const weft_hot_callbacks *callbacks);

/* A handle that no object has; 0: out of memory. A handle that was given back is used again only after
 * thousands of others. */
uintptr_t weft_hot_handle(void);
void weft_hot_give_back(uintptr_t handle);

/* The client's references to an object, which starts with one. Releasing gives how many are left; -1: there was none. */
uint32_t weft_hot_references(uintptr_t handle);
void weft_hot_retain(uintptr_t handle);
int weft_hot_release(uintptr_t handle);

/* An object that may be deleted: the client has released it, or what needed it is gone. 0: no more. Python calls
 * these until nothing is left, at the start of every call that comes to it, and when the pool notifies it. */
uintptr_t weft_hot_next_deletion(void);
int weft_hot_next_free(weft_hot_freed *freed);
/* 1: one of them has something. */
int weft_hot_pending(void);

/* The handle is now that of an object which C knows nothing more of. */
void weft_hot_bind(uintptr_t handle, uint32_t kind);
/* The handle is now that of a context in which C may allocate, from the memory of the process, up to so many bytes at once:
 * for all devices, and for each. -1: no memory. */
int weft_hot_bind_context(uintptr_t handle, uint64_t most_bytes, const weft_hot_device_limit *devices,
                          uint32_t device_count);
/* The program of a handle is in SPIR-V, and another process could build it. What was said of it before stays. -1: no
 * memory. */
int weft_hot_bind_program(uintptr_t handle, uintptr_t context, const void *il, size_t bytes);
/* A copy of what C knows of a program; NULL: nothing. */
weft_hot_program *weft_hot_hold_program(uintptr_t handle);
void weft_hot_let_program_go(weft_hot_program *program);
/* 0: C has done nothing to the program. */
uint32_t weft_hot_program_version(uintptr_t handle);
/* Python has set a constant, or built a program with these options; a program of which C knows nothing is ignored. Nonzero:
 * no memory, or C is having the program built. */
int weft_hot_program_constant(uintptr_t handle, const weft_hot_constant *constant);
int weft_hot_program_is(uintptr_t handle, uint32_t state, const char *options);
/* A kernel that Python has not met; NULL: the handle is not that of one. */
weft_hot_kernel *weft_hot_find_unmet(uintptr_t handle);
/* 1: it is Python's from now on; 0: it is gone. */
int weft_hot_meet(uintptr_t handle);
/* Frees the memory of such a kernel. */
void weft_hot_free_kernel(weft_hot_kernel *kernel);
/* The command that starts a builder, the variable by which it finds its modules, and the addresses of functions that kernels
 * may call. Once. */
int weft_hot_set_builder(const char *const *words, uint32_t count, const char *path, const uint64_t *addresses,
                         uint32_t address_count);
/* In a builder: maps what it shares with the process that started it. -1: the addresses are not free. */
int weft_hot_map_region(const weft_hot_region *region);
/* What keeps an object beside the client and other objects of Python: allocations of a context, queues, buffers, programs and
 * kernels that Python has not met. */
uint32_t weft_hot_dependents(uintptr_t handle);
/* One of them is gone; the caller deletes the object if nothing else needs it. */
void weft_hot_dependent_gone(uintptr_t handle);
/* The handle is now that of a queue. */
void weft_hot_bind_queue(uintptr_t handle, uintptr_t queue, uintptr_t context);
/* Events of the queue that Python has not seen. */
uint32_t weft_hot_queue_events(uintptr_t handle);
/* The handle is now that of an event which Python made. `queue` is 0 for a user event. The command lives until the
 * handle is given back. */
void weft_hot_bind_event(uintptr_t handle, uintptr_t command, uintptr_t queue, uintptr_t context, uint32_t type);

/* The handle is now that of a memory object of so many bytes, with the flags that it was created with. */
void weft_hot_bind_memory(uintptr_t handle, uintptr_t address, uint64_t size, uintptr_t context, uint32_t flags);
/* 1: `handle` is a queue that Python has not met, and now Python's; 0: it is not. */
int weft_hot_take_queue(uintptr_t handle, weft_hot_queue *queue);
int weft_hot_has_unmet_queues(void);
/* Whether a handle is that of a buffer that Python has not met, and what it is. */
int weft_hot_find_unmet_buffer(uintptr_t handle, weft_hot_unmet_buffer *found);
/* The address of a memory object that the client has not released; 0: the handle is not one. */
uintptr_t weft_hot_memory(uintptr_t handle);

/* The handle is now that of a kernel. */
void weft_hot_bind_kernel(uintptr_t handle, weft_hot_kernel *described);
/* Sets the size of what a local pointer points to, and places all of them anew. */
void weft_hot_set_local(weft_hot_kernel *kernel, uint32_t index, uint64_t size);
/* 1: no two of the memory objects among these arguments overlap; 0: they do, or nobody knows their size. */
int weft_hot_disjoint(const weft_hot_argument *arguments, uint32_t count);
/* Keeps a launch that Python has validated for local pointers with that layout. `noalias`: only for memory objects that
 * do not overlap. 0: kept; -1: no room, or the layout is another one by now. */
int weft_hot_keep(uintptr_t kernel, uintptr_t queue, const weft_hot_key *key, uint32_t layout, int noalias,
                  uintptr_t function, const void *launch, size_t launch_bytes, size_t local_bytes,
                  size_t context_bytes);
/* All arguments of the kernel are known to be set and alive at `epoch`. */
void weft_hot_confirm(uintptr_t kernel, uint64_t epoch);
uint64_t weft_hot_epoch(void);
/* Forgets the launches of a kernel. */
void weft_hot_forget(uintptr_t kernel);

/* The next launch to be prepared; the one before it is done. 0: no more. Called by one thread at a time. */
int weft_hot_next_deferred(weft_hot_deferred *deferred);
/* 1: there are some, and no thread of its own could be started for them. */
int weft_hot_nobody_prepares(void);
/* Launches of the kernel that wait to be prepared. */
uint32_t weft_hot_kernel_deferred(uintptr_t handle);
/* Python ends: what waits to be prepared fails, now and later. Returns when nothing is being prepared any more, or after
 * some seconds. */
void weft_hot_end_deferred(void);

/* Adds an allocation of unified shared memory, which its context waits for. -1: no memory. */
int weft_hot_add_allocation(const weft_hot_allocation *added);
/* 1: the address is in an allocation of the context. */
int weft_hot_find_allocation(uintptr_t context, uintptr_t address, weft_hot_allocation *found);
/* 1: an allocation of the context starts at the address, and is now the caller's to free. The context waits until
 * weft_hot_dependent_gone. */
int weft_hot_take_allocation(uintptr_t context, uintptr_t address, weft_hot_allocation *taken);

/* A memory object is gone: what was confirmed before counts no more. */
void weft_hot_next_epoch(void);
/* Actions that wait for commands to end became `more` (or fewer): finishing a queue is for Python then. */
void weft_hot_waiting(int32_t more);

/* 1: `handle` is an event that Python has not seen, and now Python's; 0: it is not. Its queue counts it
 * until weft_hot_event_met. */
int weft_hot_take_event(uintptr_t handle, weft_hot_event *event);
void weft_hot_event_met(uintptr_t queue);

/* The handles of events, queues, buffers, programs and kernels that Python has not seen, as many as there is room for, and how many there
 * are. */
uint32_t weft_hot_unmet(uintptr_t *handles, uint32_t room);

/* The command buffer may be enqueued as this sequence, which lives until another one, or NULL, takes its place: the call
 * returns when no thread uses the old one any more. */
void weft_hot_bind_sequence(uintptr_t handle, const weft_hot_sequence *sequence);

/* Keeps a copy of what queries about an object give, for threads that must not wait for Python, in place of an earlier one.
 * `only_device` is that of a kernel which has one. -1: no memory. */
int weft_hot_keep_results(uintptr_t handle, const weft_hot_result *results, uint32_t count, const void *bytes,
                          size_t byte_count, uint64_t only_device);

/* Has a function called when the process exits, in a program that is not Python's: there Python never ends. 0
 * takes it back, as the end of Python must. */
void weft_hot_at_exit(uintptr_t function);
/* cffi end */

#endif
