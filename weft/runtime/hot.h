/* Handles, their reference counts, and the calls that do not need Python: launches that have been validated before,
 * waits, queries of events, retains and releases. See docs/runtime.md.
 *
 * build_hot.py passes the lines between the two cffi marks to cffi unchanged.
 */
#ifndef WEFT_HOT_H
#define WEFT_HOT_H

#include <stddef.h>
#include <stdint.h>

/* cffi begin */
/* Addresses of functions of the worker pool. */
typedef struct weft_hot_functions {
    uintptr_t enqueue_ndrange, enqueue_deferred, deferred_fail, enqueue_copy, enqueue_fill, enqueue_marker, enqueue_barrier;
    uintptr_t replay;
    uintptr_t command_release, command_status, command_times, command_wait, command_cancel, user_complete;
    uintptr_t queue_new, queue_release, queue_finish, queue_take_failure, queue_flush, notify_post, allocate, free, waits, name_function;
} weft_hot_functions;

/* The Python entries that a C function replaces in the dispatch table, by the names of their functions. The C function
 * calls its Python entry for all cases that it does not handle. */
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

/* Other functions that C calls. */
typedef struct weft_hot_callbacks {
    uintptr_t interrupted;   /* returns the error code of a wait that a signal handler ended */
    uintptr_t may_enter;     /* 0: the thread would have to wait for the GIL, which a thread of the client may hold */
    uintptr_t within;        /* 1: the thread is inside a call of Python already, and Weft may hold locks */
    uintptr_t carry_out;     /* makes Python process weft_hot_next_deletion and weft_hot_next_free */
    uintptr_t prepare;       /* makes Python process weft_hot_next_deferred */
    uintptr_t release_gil;   /* releases the GIL if the thread holds it; returns the state that reacquire_gil needs */
    uintptr_t reacquire_gil; /* reacquires the GIL */
    uintptr_t is_alone;      /* 1: the thread may enter Python, and no other thread of the client can take the GIL there */
} weft_hot_callbacks;

/* The kind of object that a handle stands for. */
enum {
    WEFT_HOT_OTHER, WEFT_HOT_ROOT_DEVICE, WEFT_HOT_SUB_DEVICE, WEFT_HOT_CONTEXT, WEFT_HOT_QUEUE, WEFT_HOT_BUFFER,
    WEFT_HOT_IMAGE, WEFT_HOT_SAMPLER, WEFT_HOT_PROGRAM, WEFT_HOT_KERNEL, WEFT_HOT_EVENT, WEFT_HOT_COMMAND_BUFFER
};

/* An event created by C, as Python adopts it: Python becomes the owner of the reference to the native command. */
typedef struct weft_hot_event {
    uintptr_t command, queue;
    uint32_t type;
} weft_hot_event;

/* The recorded commands of a command buffer, in the format that the pool replays, and their queue. */
typedef struct weft_hot_sequence {
    uintptr_t queue, records;
    uint32_t count;
} weft_hot_sequence;

/* Memory freed by a thread that could not enter Python. */
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
    uint64_t most_bytes; /* maximum size of an allocation */
    uint64_t number;     /* index among the devices of the platform */
    uintptr_t pool;      /* the pool in which its queues are created */
} weft_hot_device_limit;
enum { WEFT_HOT_NO_NUMBER = 0x7fffffff }; /* the `number` of a sub-device */

/* A specialization constant. */
typedef struct weft_hot_constant {
    uint32_t id, size;
    unsigned char value[16];
} weft_hot_constant;

/* The build state of a SPIR-V program, as far as C knows it. */
enum {
    WEFT_HOT_FRESH,           /* not built */
    WEFT_HOT_BUILDING,        /* a thread in C waits for a builder process to build it */
    WEFT_HOT_BUILT_HERE,      /* C has had it built */
    WEFT_HOT_FAILED_HERE,     /* C has had it built, and the build failed */
    WEFT_HOT_BUILT_BY_PYTHON, /* Python has built it, successfully and for all devices */
    WEFT_HOT_PYTHONS          /* any other action of Python: only Python knows the state */
};

/* A SPIR-V program, its constants and build state. Every change made by C increments `version`. */
typedef struct weft_hot_program {
    uintptr_t context;
    const unsigned char *il;
    size_t il_bytes;
    weft_hot_constant *constants;
    uint32_t constant_count, version, state;
    char *options; /* of the last build; NULL if there was none */
} weft_hot_program;

/* The sizes that the client passes to a launch. `given` has a bit for each optional pointer that is not NULL. */
typedef struct weft_hot_key {
    uint64_t global_size[3], local_size[3], offset[3];
    uint32_t work_dim, given;
} weft_hot_key;

enum { WEFT_HOT_LOCAL_SIZE = 1, WEFT_HOT_OFFSET = 2 };

/* An argument of a kernel. `slot` is the address of its value in the argument block. `memory` is the handle of the
 * memory object whose address the slot holds, or 0. The slot of a local pointer holds an offset in the local arena;
 * `local_size` is the size of the memory that it points to. */
enum { WEFT_HOT_BY_PYTHON, WEFT_HOT_VALUE, WEFT_HOT_MEMORY, WEFT_HOT_LOCAL };
typedef struct weft_hot_argument {
    uint32_t kind, is_set; /* WEFT_HOT_BY_PYTHON: images, samplers and pipes, which only Python sets */
    uint64_t size;
    uintptr_t slot, memory;
    uint64_t local_size;
} weft_hot_argument;

/* A kernel: its arguments, the block that contains their slots, and the limits for the sizes of a launch. */
typedef struct weft_hot_kernel {
    uintptr_t context, block;
    uint64_t block_bytes;
    weft_hot_argument *arguments;
    uint32_t argument_count;
    uint32_t layout;              /* incremented when the size of a local pointer changes; read without a lock */
    uint64_t fixed_local_bytes;   /* size of the local variables */
    uint64_t local_bytes;         /* size of the local variables and of the memory behind local pointers */
    uint32_t is_deferrable;       /* no argument is WEFT_HOT_BY_PYTHON, and the limits hold for all devices */
    uint32_t is_uniform;          /* the local size must divide the global size */
    uint32_t is_spirv;            /* its program is in SPIR-V, so C may have created the kernel */
    uint64_t required_size[3];    /* required local size; 0: any */
    uint64_t most_items[3], most_group_items, most_local_bytes; /* limits of a work-group */
    uint64_t sub_group_size;
    uintptr_t launches; /* table of kept launches; only hot_launches.c accesses it */
    uintptr_t program;  /* handle of the program */
    const char *name;
} weft_hot_kernel;

/* The stored result of a query: a value, an error code, or a positive code that says where the value comes from.
 * `about` is the device for queries that take one. */
enum { WEFT_HOT_INFO, WEFT_HOT_WORK_GROUP_INFO, WEFT_HOT_SUB_GROUP_INFO, WEFT_HOT_BUILD_INFO };
enum {
    WEFT_HOT_GIVEN,       /* the value is stored */
    WEFT_HOT_REFERENCES,  /* the current reference count */
    WEFT_HOT_LOCAL_BYTES, /* the current `local_bytes` of the kernel */
    WEFT_HOT_COMPUTE,     /* computed from the input of the query */
    WEFT_HOT_ASK          /* only Python knows the result */
};
typedef struct weft_hot_result {
    uint64_t about;
    uint32_t family, param;
    int32_t code;
    uint32_t size;
    uint64_t offset; /* of the value in the bytes that are stored with the results */
} weft_hot_result;

/* Head of a request to a builder process. Devices, constants, options and the SPIR-V words follow. */
enum { WEFT_HOT_MAGIC = 0x57454654 };
typedef struct weft_hot_request {
    uint64_t magic, is_launch, program, context, device_count, constant_count, option_bytes, il_bytes;
} weft_hot_request;

/* Follows the request if `is_launch`; then come the name of the kernel and its argument block. */
typedef struct weft_hot_launch {
    weft_hot_key key;
    uint64_t local_bytes, layout, are_disjoint, waits; /* waits: how often the host has waited for commands so far */
    uintptr_t name, block;
    uint64_t name_bytes, block_bytes;
} weft_hot_launch;

/* The reply to a request with a launch. */
enum { WEFT_HOT_LAUNCH_BYTES = 112 };
typedef struct weft_hot_prepared {
    uint64_t magic;
    int32_t code; /* result of the enqueue; WEFT_HOT_ASK: the launch could not be prepared */
    uint32_t is_lasting, requires_noalias, layout;
    uintptr_t function;
    uint64_t local_bytes, context_bytes, ids;
    unsigned char launch[WEFT_HOT_LAUNCH_BYTES];
} weft_hot_prepared;

/* Memory that a builder shares with this process: a table of functions that kernels may call, code, and data. `at` is
 * the address in both processes. */
typedef struct weft_hot_region {
    uint64_t magic, at, table_bytes, code_bytes, data_bytes;
} weft_hot_region;

/* Head of the reply to a build request. Results of queries about the program, their values, and the kernels follow;
 * each part is padded to a multiple of 8 bytes. */
typedef struct weft_hot_built {
    uint64_t magic, bytes; /* bytes: size of the whole reply */
    int32_t code;          /* result of clBuildProgram */
    uint32_t kernel_count;
    uint64_t result_count, value_bytes;
} weft_hot_built;

/* A kernel of the reply. Its name, its arguments (with slots as offsets in the block), results of queries and their
 * values follow. */
typedef struct weft_hot_built_kernel {
    weft_hot_kernel kernel;
    uint64_t name_bytes, result_count, value_bytes, only_device;
} weft_hot_built_kernel;

/* A queue created by C, as Python adopts it: Python becomes the owner of the reference to the native queue. */
typedef struct weft_hot_queue {
    uintptr_t native, context, device;
    uint64_t properties, words[7]; /* the properties as a bit field, and as the list that the client passed */
    uint32_t word_count;
} weft_hot_queue;

/* A buffer that Python has not adopted. */
typedef struct weft_hot_unadopted_buffer {
    uintptr_t context, address, host_pointer;
    uint64_t size;
    uint32_t flags;
} weft_hot_unadopted_buffer;

/* A launch that waits for Python to prepare it. `layout` and `are_disjoint` describe the arguments that the command
 * has. */
typedef struct weft_hot_deferred {
    uintptr_t kernel, queue, command;
    weft_hot_key key;
    uint64_t local_bytes;
    uint32_t layout, are_disjoint;
} weft_hot_deferred;

void weft_hot_start(const weft_hot_functions *functions);
/* Sets the first word of all existing and future handles. */
void weft_hot_set_dispatch(uintptr_t dispatch);
/* Returns the C functions to be put into the dispatch table. They call the functions in `python` for cases that they do
 * not handle. */
weft_hot_fallbacks weft_hot_install(const weft_hot_fallbacks *python, const weft_hot_callbacks *callbacks);

/* Returns an unused handle, or 0 if there is none left. A handle that has been given back is reused only after
 * thousands of others. */
uintptr_t weft_hot_handle(void);
void weft_hot_give_back(uintptr_t handle);

/* The client's reference count of an object; initially 1. weft_hot_release returns the new count, or -1 if it was 0. */
uint32_t weft_hot_references(uintptr_t handle);
void weft_hot_retain(uintptr_t handle);
int weft_hot_release(uintptr_t handle);

/* weft_hot_next_deletion returns an object that may have to be deleted, because the client or its last dependent has
 * released it; 0 if there are no more. weft_hot_next_free returns 1 and memory to be freed, or 0. Python calls both
 * until nothing is left, at the start and end of calls that enter it, and when the pool notifies it. */
uintptr_t weft_hot_next_deletion(void);
int weft_hot_next_free(weft_hot_freed *freed);
/* 1: one of these two functions would return something. */
int weft_hot_pending(void);

/* The weft_hot_bind* functions make a handle stand for an object. This one is for kinds of which C knows nothing
 * else. */
void weft_hot_bind(uintptr_t handle, uint32_t kind);
/* Binds a context whose memory is that of the process, so C may allocate in it. An allocation has at most `most_bytes`,
 * or the limit of its device. -1: out of memory. */
int weft_hot_bind_context(uintptr_t handle, uint64_t most_bytes, const weft_hot_device_limit *devices,
                          uint32_t device_count);
/* Binds a SPIR-V program that a builder process could build. Does nothing if the program has a record already. -1: out
 * of memory. */
int weft_hot_bind_program(uintptr_t handle, uintptr_t context, const void *il, size_t bytes);
/* Returns a copy of the record of a program, to be returned to weft_hot_let_program_go; NULL if C has no record of it,
 * or if memory is exhausted. The words at `il` are shared with the record and stay valid until then. */
weft_hot_program *weft_hot_hold_program(uintptr_t handle);
void weft_hot_let_program_go(weft_hot_program *program);
/* The number of changes that C has made to a program; 0 also if C has no record of it. */
uint32_t weft_hot_program_version(uintptr_t handle);
/* Records that Python has set a constant, or built a program with these options. Programs without a record are ignored.
 * Nonzero: out of memory, or a builder process is building the program for C. */
int weft_hot_program_constant(uintptr_t handle, const weft_hot_constant *constant);
int weft_hot_program_is(uintptr_t handle, uint32_t state, const char *options);
/* Returns a kernel that Python has not adopted; NULL if the handle is not one. */
weft_hot_kernel *weft_hot_find_unadopted_kernel(uintptr_t handle);
/* Makes Python the owner of a program, kernel or buffer that C has created. 1: done; 0: C has deleted the object, or
 * Python has adopted it before. */
int weft_hot_adopt(uintptr_t handle);
/* Frees the memory of a kernel that C has created. */
void weft_hot_free_kernel(weft_hot_kernel *kernel);
/* Sets the command that starts a builder, its environment variable PYTHONPATH, and the table of functions that kernels
 * may call. Succeeds once; -1 otherwise. */
int weft_hot_set_builder(const char *const *words, uint32_t count, const char *path, const uint64_t *addresses,
                         uint32_t address_count);
/* In a builder: maps the memory that it shares with the process that started it. -1: the addresses are in use. */
int weft_hot_map_region(const weft_hot_region *region);
/* The number of dependents that keep an object alive and that Python does not count: allocations of a context, its
 * queues, buffers and programs that Python has not adopted, and such kernels of a program. */
uint32_t weft_hot_dependents(uintptr_t handle);
/* Removes a dependent; the caller must delete the object if nothing else needs it. */
void weft_hot_dependent_gone(uintptr_t handle);
void weft_hot_bind_queue(uintptr_t handle, uintptr_t queue, uintptr_t context);
/* The number of events of a queue that Python has not adopted. */
uint32_t weft_hot_queue_events(uintptr_t handle);
/* Binds an event that Python has created. `queue` is 0 for a user event. The command must live until the handle is
 * given back. */
void weft_hot_bind_event(uintptr_t handle, uintptr_t command, uintptr_t queue, uintptr_t context, uint32_t type);

/* Binds a buffer. `flags` are those of clCreateBuffer. */
void weft_hot_bind_memory(uintptr_t handle, uintptr_t address, uint64_t size, uintptr_t context, uint32_t flags);
/* 1: `handle` was a queue that Python had not adopted, and is adopted now; 0: it was not. */
int weft_hot_take_queue(uintptr_t handle, weft_hot_queue *queue);
int weft_hot_has_unadopted_queues(void);
/* 1: `handle` is a buffer that Python has not adopted, described by `found`. */
int weft_hot_find_unadopted_buffer(uintptr_t handle, weft_hot_unadopted_buffer *found);
/* The address of a buffer that the client has not released; 0: the handle is not one. */
uintptr_t weft_hot_memory(uintptr_t handle);

void weft_hot_bind_kernel(uintptr_t handle, weft_hot_kernel *described);
/* Sets the size of the memory behind a local pointer, and recomputes the offsets of all local pointers. */
void weft_hot_set_local(weft_hot_kernel *kernel, uint32_t index, uint64_t size);
/* 1: no two of the memory objects among these arguments overlap; 0: they may overlap. */
int weft_hot_disjoint(const weft_hot_argument *arguments, uint32_t count);
/* Keeps a launch that Python has validated. It is valid for local pointers with the given `layout`, and, if `noalias`,
 * only for memory objects that do not overlap. If `ids` is not 0, it runs in the work-groups of the key, and its code is
 * valid for other multiples of their size, as long as all global ids are below `ids`. 0: kept; -1: the table is full, or
 * the layout has changed. */
int weft_hot_keep(uintptr_t kernel, uintptr_t queue, const weft_hot_key *key, uint32_t layout, int noalias,
                  uintptr_t function, const void *launch, size_t launch_bytes, size_t local_bytes,
                  size_t context_bytes, uint64_t ids);
/* Records that all arguments of the kernel were set and alive at `epoch`. */
void weft_hot_confirm(uintptr_t kernel, uint64_t epoch);
uint64_t weft_hot_epoch(void);
/* The address of the epoch, for functions of the pool that enqueue a launch only while it stays the same. */
uintptr_t weft_hot_epoch_address(void);
/* Discards the kept launches of a kernel. */
void weft_hot_forget(uintptr_t kernel);

/* Finishes the launch that the previous call returned, and returns 1 and the next launch to be prepared, or 0. Must be
 * called by one thread at a time. */
int weft_hot_next_deferred(weft_hot_deferred *deferred);
/* 1: launches wait to be prepared, and no thread could be started to prepare them. */
int weft_hot_nobody_prepares(void);
/* The number of launches of the kernel that wait to be prepared. */
uint32_t weft_hot_kernel_deferred(uintptr_t handle);
/* Must be called when Python shuts down: launches that wait to be prepared fail, now and later. Returns when no launch
 * is being prepared, or after PATIENCE_SECONDS. */
void weft_hot_end_deferred(void);

/* Adds an allocation of unified shared memory, which becomes a dependent of its context. -1: out of memory. */
int weft_hot_add_allocation(const weft_hot_allocation *added);
/* 1: the address is in an allocation of the context. */
int weft_hot_find_allocation(uintptr_t context, uintptr_t address, weft_hot_allocation *found);
/* 1: an allocation of the context started at the address; it has been removed from the table, and the caller must free
 * it. It stays a dependent of the context until weft_hot_dependent_gone. */
int weft_hot_take_allocation(uintptr_t context, uintptr_t address, weft_hot_allocation *taken);

/* Must be called when a memory object has been deleted: arguments confirmed before have to be checked again. */
void weft_hot_next_epoch(void);
/* Changes the number of actions that wait for commands to end. If it is not 0, clFinish and waits enter Python. */
void weft_hot_waiting(int32_t more);

/* 1: `handle` was an event that Python had not adopted, and is adopted now; 0: it was not. Its queue counts it until
 * weft_hot_event_adopted. */
int weft_hot_take_event(uintptr_t handle, weft_hot_event *event);
void weft_hot_event_adopted(uintptr_t queue);

/* Writes up to `room` handles of events, queues, buffers, programs and kernels that Python has not adopted, and returns
 * their number. */
uint32_t weft_hot_unadopted(uintptr_t *handles, uint32_t room);

/* Sets the sequence that C enqueues for a command buffer; NULL: none. Returns when no thread uses the previous sequence
 * any more, so the caller may free that one. */
void weft_hot_bind_sequence(uintptr_t handle, const weft_hot_sequence *sequence);

/* Stores a copy of the results of queries about an object, for threads that must not wait for the GIL; replaces an
 * earlier copy. `only_device` is the device of a kernel that has exactly one, else 0. -1: out of memory. */
int weft_hot_keep_results(uintptr_t handle, const weft_hot_result *results, uint32_t count, const void *bytes,
                          size_t byte_count, uint64_t only_device);

/* Registers a function to be called when the process exits; 0 unregisters it. It is for programs that are not Python
 * programs, in which Python never shuts down. Where Python does shut down, it must unregister the function. */
void weft_hot_at_exit(uintptr_t function);
/* cffi end */

#endif
