/* SPIR-V programs and their kernels, without Python.
 *
 * Another thread of the client may hold the GIL while it waits for the thread that makes a call. It may also take the
 * GIL while Python carries out that call, because no call of Python keeps the GIL to its end. So unless the calling
 * thread is alone (hot_is_alone), it does not enter Python, and keeps the GIL if it holds it. A program is a copy of
 * its SPIR-V words. A builder process builds it (hot_elsewhere.c) and describes its kernels, and C creates kernels from
 * these descriptions. Python handles all calls that cannot be handled like this.
 *
 * Records. Every SPIR-V program whose context C can allocate in has a record, `native` of its block, whether C or
 * Python created it. It contains the words, which never change, the constants, and the build state. A change made by C
 * increments `version`. When Python looks the program up and sees a new version, it repeats the changes
 * (weft/api/program.py); the build finds its result in the cache.
 *
 * Ownership. A program or a kernel that Python has not adopted (`adopted` is 0) is owned by C: the last release frees
 * it (hot_drop_unadopted). Python adopts it by setting `adopted` after it has created its object; the thread that sets
 * `adopted` first becomes the owner. A kernel that Python has not adopted is a dependent of its program, and such a
 * program a dependent of its context, so that neither is deleted before. A record is reference-counted (`users`): its
 * block has a reference, and so have threads that use it without the lock.
 *
 * Locks. hot_lock guards records and is held only while they are changed or copied, never while a thread waits for a
 * builder process. No other lock is taken while it is held. */
#define _GNU_SOURCE
#include "hot_internal.h"

#include <string.h>

enum {
    INVALID_DEVICE = -33,
    INVALID_PROGRAM = -44,
    INVALID_EXECUTABLE = -45,
    INVALID_KERNEL_NAME = -46,
    INVALID_OPERATION = -59,
    INVALID_SPEC_ID = -71
};
enum { BY_PYTHON = 1 }; /* returned instead of an error code: Python must handle the call */
enum { KERNEL_QUARANTINE = 64 };

typedef struct record {
    uint32_t users;   /* reference count */
    uint32_t version; /* incremented by changes that C makes */
    uint32_t state;   /* WEFT_HOT_FRESH, ... */
    uint32_t changes; /* incremented with each change of `state` */
    uintptr_t context;
    uint32_t constant_count;
    weft_hot_constant *constants;
    char *options;         /* of the last build; NULL if there was none */
    weft_hot_built *built; /* the reply of a builder for this state; NULL if there is none */
    size_t il_bytes;
    unsigned char il[];
} record;

/* Drops a reference. The caller holds the lock. */
static void drop_record(record *dropped) {
    if (!dropped || --dropped->users)
        return;
    free(dropped->constants);
    free(dropped->options);
    free(dropped->built);
    free(dropped);
}

/* The caller holds the lock. */
static record *find_record(uintptr_t handle) {
    const block *found = hot_find(handle, WEFT_HOT_PROGRAM);
    return found ? (record *)atomic_load(&found->native) : NULL;
}

static record *make_record(uintptr_t context, const void *il, size_t bytes) {
    record *made = calloc(1, sizeof *made + bytes);
    if (made) {
        made->users = 1;
        made->context = context;
        made->il_bytes = bytes;
        memcpy(made->il, il, bytes);
    }
    return made;
}

int weft_hot_bind_program(uintptr_t handle, uintptr_t context, const void *il, size_t bytes) {
    if (atomic_load(&((block *)handle)->native))
        return 0;
    record *made = make_record(context, il, bytes);
    atomic_store(&((block *)handle)->native, (uintptr_t)made);
    weft_hot_bind(handle, WEFT_HOT_PROGRAM);
    return made ? 0 : -1;
}

/* Detaches the record from the block of a deleted program. The caller holds the lock. */
void hot_take_record(block *program) {
    if (atomic_load(&program->kind) == WEFT_HOT_PROGRAM)
        drop_record((record *)atomic_exchange(&program->native, 0));
}

/* In the child of a fork: the thread that waits for the build exists only in the parent. */
void hot_forget_build(block *program) {
    record *found = find_record((uintptr_t)program);
    if (found && found->state == WEFT_HOT_BUILDING)
        found->state = WEFT_HOT_FRESH;
}

/* A copy of the fields that may change, with a reference to the record. */
typedef struct held {
    weft_hot_program program; /* must be the first field: weft_hot_let_program_go converts its address back */
    record *record;
    uint32_t changes;
} held;

weft_hot_program *weft_hot_hold_program(uintptr_t handle) {
    held *made = calloc(1, sizeof *made);
    bool is_whole = made != NULL;
    pthread_mutex_lock(&hot_lock);
    record *found = is_whole ? find_record(handle) : NULL;
    if (found) {
        size_t bytes = found->constant_count * sizeof *found->constants;
        made->program = (weft_hot_program){.context = found->context, .il = found->il, .il_bytes = found->il_bytes,
                                           .constant_count = found->constant_count, .version = found->version,
                                           .state = found->state, .constants = malloc(bytes + 1),
                                           .options = found->options ? strdup(found->options) : NULL};
        is_whole = made->program.constants && !found->options == !made->program.options;
        if (made->program.constants)
            memcpy(made->program.constants, found->constants, bytes);
        made->record = found;
        made->changes = found->changes;
        found->users++;
    }
    pthread_mutex_unlock(&hot_lock);
    if (is_whole && found)
        return &made->program;
    if (made)
        weft_hot_let_program_go(&made->program);
    return NULL;
}

void weft_hot_let_program_go(weft_hot_program *program) {
    held *dropped = (held *)program;
    pthread_mutex_lock(&hot_lock);
    drop_record(dropped->record);
    pthread_mutex_unlock(&hot_lock);
    free(program->constants);
    free(program->options);
    free(dropped);
}

uint32_t weft_hot_program_version(uintptr_t handle) {
    pthread_mutex_lock(&hot_lock);
    const record *found = find_record(handle);
    uint32_t version = found ? found->version : 0;
    pthread_mutex_unlock(&hot_lock);
    return version;
}

/* Adds or replaces a constant. -1: out of memory. If Python has built the program, a builder would from now on build it
 * with other constants, so its description would be wrong: the state becomes WEFT_HOT_PYTHONS. The caller holds the
 * lock. */
static int set_constant(record *program, const weft_hot_constant *constant) {
    if (program->state == WEFT_HOT_BUILT_BY_PYTHON && !program->built) {
        program->state = WEFT_HOT_PYTHONS;
        program->changes++;
    }
    for (uint32_t i = 0; i < program->constant_count; i++)
        if (program->constants[i].id == constant->id) {
            program->constants[i] = *constant;
            return 0;
        }
    weft_hot_constant *moved = realloc(program->constants, (program->constant_count + 1) * sizeof *moved);
    if (!moved)
        return -1;
    moved[program->constant_count++] = *constant;
    program->constants = moved;
    return 0;
}

int weft_hot_program_constant(uintptr_t handle, const weft_hot_constant *constant) {
    pthread_mutex_lock(&hot_lock);
    record *found = find_record(handle);
    int code = found ? set_constant(found, constant) : 0;
    pthread_mutex_unlock(&hot_lock);
    return code;
}

/* Sets the state, the options and the description, which the record owns from then on; frees the previous ones. The
 * caller holds the lock. */
static void set_state(record *program, uint32_t state, char *options, weft_hot_built *built) {
    free(program->options);
    free(program->built);
    program->state = state;
    program->changes++;
    program->options = options;
    program->built = built;
}

int weft_hot_program_is(uintptr_t handle, uint32_t state, const char *options) {
    char *copy = strdup(options);
    if (!copy)
        return -1;
    pthread_mutex_lock(&hot_lock);
    record *found = find_record(handle);
    bool is_building = found && found->state == WEFT_HOT_BUILDING;
    if (found && !is_building)
        set_state(found, state, copy, NULL);
    pthread_mutex_unlock(&hot_lock);
    if (!found || is_building)
        free(copy);
    return is_building;
}

/* ---- creating a program */

enum { PROGRAM_REFERENCES = 0x1160, PROGRAM_CONTEXT, PROGRAM_DEVICE_COUNT, PROGRAM_DEVICES, LAST_PROGRAM_INFO = 0x116B };
enum { BUILD_STATUS = 0x1181, BUILD_OPTIONS, BUILD_LOG, BUILD_TYPE };
enum { BUILD_NONE = -1, PROGRAM_RESULTS = LAST_PROGRAM_INFO - PROGRAM_REFERENCES + 1, BUILD_RESULTS = 4 };

/* Stores the results of queries about a program that has not been built. */
static int keep_fresh_results(uintptr_t handle, uintptr_t context, const weft_hot_device_limit *devices,
                              uint32_t device_count) {
    struct {
        uint64_t context;
        uint32_t device_count;
        int32_t status;
        uint32_t type;
        char nothing[4];
        uint64_t devices[];
    } *values;
    size_t value_bytes = sizeof *values + device_count * sizeof *values->devices;
    uint32_t count = PROGRAM_RESULTS + device_count * BUILD_RESULTS;
    weft_hot_result *results = calloc(count, sizeof *results);
    values = calloc(1, value_bytes);
    int code = -1;
    if (results && values) {
#define VALUE(field) .code = WEFT_HOT_GIVEN, .size = sizeof values->field, .offset = offsetof(__typeof__(*values), field)
        values->context = context;
        values->device_count = device_count;
        values->status = BUILD_NONE;
        for (uint32_t i = 0; i < PROGRAM_RESULTS; i++)
            results[i] = (weft_hot_result){.param = PROGRAM_REFERENCES + i, .code = WEFT_HOT_ASK};
        results[0].code = WEFT_HOT_REFERENCES;
        results[1] = (weft_hot_result){.param = PROGRAM_CONTEXT, VALUE(context)};
        results[2] = (weft_hot_result){.param = PROGRAM_DEVICE_COUNT, VALUE(device_count)};
        results[3] = (weft_hot_result){.param = PROGRAM_DEVICES, .code = WEFT_HOT_GIVEN,
                                       .size = device_count * sizeof *values->devices, .offset = sizeof *values};
        for (uint32_t i = 0; i < device_count; i++) {
            weft_hot_result *of_device = &results[PROGRAM_RESULTS + i * BUILD_RESULTS];
            values->devices[i] = devices[i].device;
            of_device[0] = (weft_hot_result){.param = BUILD_STATUS, VALUE(status)};
            of_device[1] = (weft_hot_result){.param = BUILD_OPTIONS, VALUE(nothing[0])};
            of_device[2] = (weft_hot_result){.param = BUILD_LOG, VALUE(nothing[0])};
            of_device[3] = (weft_hot_result){.param = BUILD_TYPE, VALUE(type)};
            for (int j = 0; j < BUILD_RESULTS; j++) {
                of_device[j].about = devices[i].device;
                of_device[j].family = WEFT_HOT_BUILD_INFO;
            }
        }
#undef VALUE
        code = weft_hot_keep_results(handle, results, count, values, value_bytes, 0);
    }
    free(results);
    free(values);
    return code;
}

static int32_t create(uintptr_t context, const void *il, size_t bytes, uintptr_t *handle) {
    uint32_t device_count;
    if (!hot_find(context, WEFT_HOT_CONTEXT))
        return INVALID_CONTEXT;
    weft_hot_device_limit *devices = hot_copy_devices(context, &device_count);
    if (!devices)
        return BY_PYTHON;
    int32_t code = il && bytes && hot_is_module(il, bytes) ? SUCCESS : INVALID_VALUE;
    record *program = code ? NULL : make_record(context, il, bytes);
    block *made = program ? hot_take_block() : NULL;
    if (!code && (!made || keep_fresh_results((uintptr_t)made, context, devices, device_count))) {
        code = OUT_OF_HOST_MEMORY;
        free(program);
        if (made)
            hot_free_block(made);
    }
    if (!code) {
        program->version = 1;
        atomic_store(&made->adopted, 0);
        atomic_store(&made->native, (uintptr_t)program);
        atomic_fetch_add(&((block *)context)->dependents, 1);
        weft_hot_bind((uintptr_t)made, WEFT_HOT_PROGRAM);
        *handle = (uintptr_t)made;
    }
    free(devices);
    return code;
}

/* Whether Python must handle a call. It handles errors too where the thread may enter it, because it calls the error
 * callback of the context. */
static bool needs_python(int32_t code) {
    return code == BY_PYTHON || (code && hot_may_enter());
}

static uintptr_t set_errcode(int32_t code, int32_t *errcode, uintptr_t handle) {
    if (errcode)
        *errcode = code;
    return handle;
}

uintptr_t hot_create_program_with_il(uintptr_t context, const void *il, size_t bytes, int32_t *errcode) {
    uintptr_t handle = 0;
    int32_t code = hot_is_alone() ? BY_PYTHON : create(context, il, bytes, &handle);
    return needs_python(code) ? PYTHON(program_entry, create_program_with_il)(context, il, bytes, errcode)
                             : set_errcode(code, errcode, handle);
}

/* ---- specialization constants */

static int32_t specialize(uintptr_t handle, uint32_t id, size_t size, const void *value) {
    if (!hot_find(handle, WEFT_HOT_PROGRAM))
        return INVALID_PROGRAM;
    weft_hot_program *program = weft_hot_hold_program(handle);
    if (!program)
        return BY_PYTHON;
    weft_hot_constant constant = {.id = id, .size = (uint32_t)size};
    int32_t code = SUCCESS;
    size_t known = hot_constant_size(program->il, program->il_bytes, id);
    if (!value || !size)
        code = INVALID_VALUE;
    else if (!known)
        code = INVALID_SPEC_ID;
    else if (known != size || known > sizeof constant.value)
        code = INVALID_VALUE;
    if (!code) {
        memcpy(constant.value, value, size);
        pthread_mutex_lock(&hot_lock);
        record *target = ((held *)program)->record;
        /* When Python repeats the changes, it must not build the program with a constant that was set after the
         * build. */
        if (target->state != WEFT_HOT_FRESH)
            code = BY_PYTHON;
        else if (set_constant(target, &constant))
            code = OUT_OF_HOST_MEMORY;
        else
            target->version++;
        pthread_mutex_unlock(&hot_lock);
    }
    weft_hot_let_program_go(program);
    return code;
}

int32_t hot_specialize(uintptr_t program, uint32_t id, size_t size, const void *value) {
    int32_t code = hot_is_alone() ? BY_PYTHON : specialize(program, id, size, value);
    return needs_python(code)
               ? PYTHON(specialize_entry, set_program_specialization_constant)(program, id, size, value)
               : code;
}

/* ---- building */

typedef void build_callback(uintptr_t program, void *user_data);

typedef struct building {
    uintptr_t program;
    uint32_t device_count;
    const uintptr_t *devices;
    const char *options;
    build_callback *notify;
    void *user_data;
} building;

/* Checks the device list and callback of clBuildProgram. BY_PYTHON if the list does not contain all devices of the
 * context: C has programs built for all of them only. */
static int32_t check_devices(const building *call, uintptr_t context) {
    if (!call->device_count != !call->devices || (!call->notify && call->user_data))
        return INVALID_VALUE;
    uint32_t count, missing = 0;
    weft_hot_device_limit *known = hot_copy_devices(context, &count);
    int32_t code = known ? SUCCESS : BY_PYTHON;
    for (uint32_t i = 0; known && i < call->device_count; i++) {
        bool is_known = false;
        for (uint32_t j = 0; j < count; j++)
            is_known = is_known || known[j].device == call->devices[i];
        if (!is_known)
            code = INVALID_DEVICE;
    }
    for (uint32_t j = 0; known && call->device_count && j < count; j++) {
        bool is_wanted = false;
        for (uint32_t i = 0; i < call->device_count; i++)
            is_wanted = is_wanted || known[j].device == call->devices[i];
        missing += !is_wanted;
    }
    free(known);
    return !code && missing ? BY_PYTHON : code;
}

/* Enters the state WEFT_HOT_BUILDING. Fails if the program has been built, or if another thread is building it. */
static int32_t begin(record *program) {
    int32_t code = BY_PYTHON;
    pthread_mutex_lock(&hot_lock);
    if (program->state == WEFT_HOT_FRESH || program->state == WEFT_HOT_FAILED_HERE) {
        program->state = WEFT_HOT_BUILDING;
        code = SUCCESS;
    } else if (program->state == WEFT_HOT_BUILDING) {
        code = INVALID_OPERATION;
    }
    pthread_mutex_unlock(&hot_lock);
    return code;
}

static void end(record *program, uint32_t state, char *options, weft_hot_built *built) {
    pthread_mutex_lock(&hot_lock);
    set_state(program, state, options, built);
    program->version++;
    pthread_mutex_unlock(&hot_lock);
}

static int32_t build(const building *call) {
    if (!hot_find(call->program, WEFT_HOT_PROGRAM))
        return INVALID_PROGRAM;
    weft_hot_program *program = weft_hot_hold_program(call->program);
    if (!program)
        return BY_PYTHON;
    record *target = ((held *)program)->record;
    char *options = strdup(call->options ? call->options : "");
    int32_t code = options ? check_devices(call, program->context) : OUT_OF_HOST_MEMORY;
    bool is_over = false;
    if (!code)
        code = begin(target);
    if (!code) {
        weft_hot_built *built = hot_build_elsewhere(call->program, program, options);
        const weft_hot_result *results;
        const unsigned char *values;
        if (built && hot_read_built(built, &results, &values) &&
            !weft_hot_keep_results(call->program, results, built->result_count, values, built->value_bytes, 0)) {
            code = built->code;
            is_over = true;
            end(target, code ? WEFT_HOT_FAILED_HERE : WEFT_HOT_BUILT_HERE, options, built);
            options = NULL;
        } else {
            free(built);
            code = BY_PYTHON;
            end(target, program->state, NULL, NULL);
        }
    }
    free(options);
    weft_hot_let_program_go(program);
    if (is_over && call->notify)
        call->notify(call->program, call->user_data);
    return code;
}

int32_t hot_build_program(uintptr_t program, uint32_t device_count, const uintptr_t *devices, const char *options,
                          uintptr_t notify, uintptr_t user_data) {
    building call = {.program = program, .device_count = device_count, .devices = devices, .options = options,
                     .notify = (build_callback *)notify, .user_data = (void *)user_data};
    int32_t code = hot_is_alone() ? BY_PYTHON : build(&call);
    return code == BY_PYTHON ? PYTHON(build_entry, build_program)(program, device_count, devices, options, notify,
                                                                  user_data)
                             : code;
}

/* ---- kernels */

/* Lets a builder process describe the kernels of a program that Python has built; false if that fails or the state has
 * changed in the meantime. */
static bool describe(uintptr_t handle) {
    weft_hot_program *program = weft_hot_hold_program(handle);
    weft_hot_built *built = NULL;
    bool is_known = false;
    if (program && program->state == WEFT_HOT_BUILT_BY_PYTHON)
        built = hot_build_elsewhere(handle, program, program->options);
    if (built && !built->code) {
        record *target = ((held *)program)->record;
        pthread_mutex_lock(&hot_lock);
        is_known = target->changes == ((held *)program)->changes;
        if (is_known && !target->built) {
            target->built = built;
            built = NULL;
        }
        pthread_mutex_unlock(&hot_lock);
    }
    free(built);
    if (program)
        weft_hot_let_program_go(program);
    return is_known;
}

/* Creates a kernel with its arguments and their block, in one piece of memory. Python keeps using that memory after it
 * has adopted the kernel. */
static weft_hot_kernel *make_kernel(uintptr_t program, uintptr_t context, const hot_built_kernel *found) {
    size_t argument_bytes = found->head->kernel.argument_count * sizeof(weft_hot_argument);
    size_t block_bytes = (found->head->kernel.block_bytes + 15) / 16 * 16;
    /* The argument block comes first, because arguments are aligned to up to 128 bytes. */
    unsigned char *memory = NULL;
    size_t bytes = block_bytes + sizeof(weft_hot_kernel) + argument_bytes + found->head->name_bytes + 1;
    if (posix_memalign((void **)&memory, 128, bytes))
        return NULL;
    memset(memory, 0, block_bytes);
    weft_hot_kernel *made = (weft_hot_kernel *)(memory + block_bytes);
    *made = found->head->kernel;
    made->context = context;
    made->block = (uintptr_t)memory;
    made->arguments = (weft_hot_argument *)(made + 1);
    made->launches = 0;
    made->program = program;
    memcpy(made->arguments, found->arguments, argument_bytes);
    for (uint32_t i = 0; i < made->argument_count; i++)
        made->arguments[i].slot += (uintptr_t)memory;
    char *name = (char *)made->arguments + argument_bytes;
    memcpy(name, found->name, found->head->name_bytes);
    name[found->head->name_bytes] = 0;
    made->name = name;
    return made;
}

void weft_hot_free_kernel(weft_hot_kernel *kernel) {
    free((void *)kernel->block);
}

/* Finds a kernel in the description of a built program. The caller holds the lock. */
static int32_t find_kernel(const record *program, const char *name, hot_built_kernel *found) {
    const weft_hot_built *built = program->built;
    const weft_hot_result *results;
    const unsigned char *values, *at = hot_read_built(built, &results, &values);
    for (uint32_t i = 0; i < built->kernel_count; i++) {
        at = hot_read_kernel(at, (const unsigned char *)built + built->bytes, found);
        if (found->head->name_bytes == strlen(name) && !memcmp(found->name, name, found->head->name_bytes))
            return SUCCESS;
    }
    return INVALID_KERNEL_NAME;
}

/* Creates a kernel from the description of its program and binds it to `made`, which only this thread knows. BY_PYTHON:
 * there is no description. */
static int32_t create_described(uintptr_t handle, const char *name, block *made) {
    hot_built_kernel found;
    weft_hot_kernel *kernel = NULL;
    void *results = NULL, *dropped = NULL;
    int32_t code = BY_PYTHON;
    pthread_mutex_lock(&hot_lock);
    const record *program = find_record(handle);
    if (!hot_find(handle, WEFT_HOT_PROGRAM))
        code = INVALID_PROGRAM;
    else if (program && (program->state == WEFT_HOT_FRESH || program->state == WEFT_HOT_FAILED_HERE ||
                         program->state == WEFT_HOT_BUILDING))
        code = INVALID_EXECUTABLE;
    else if (program && program->built)
        code = find_kernel(program, name, &found);
    if (!code) {
        kernel = make_kernel(handle, program->context, &found);
        results = hot_make_results(found.results, found.head->result_count, found.values, found.head->value_bytes,
                                   found.head->only_device);
        if (results)
            dropped = hot_swap_results(made, results);
        if (!kernel || !results || dropped == results)
            code = OUT_OF_HOST_MEMORY;
        else
            atomic_fetch_add(&((block *)handle)->dependents, 1);
    }
    pthread_mutex_unlock(&hot_lock);
    free(dropped);
    if (!code) {
        atomic_store(&made->adopted, 0);
        weft_hot_bind_kernel((uintptr_t)made, kernel);
    } else if (kernel) {
        weft_hot_free_kernel(kernel);
    }
    return code;
}

static int32_t create_kernel(uintptr_t program, const char *name, uintptr_t *handle) {
    if (!hot_find(program, WEFT_HOT_PROGRAM))
        return INVALID_PROGRAM;
    if (!name)
        return INVALID_VALUE;
    block *made = hot_take_block();
    if (!made)
        return OUT_OF_HOST_MEMORY;
    int32_t code = create_described(program, name, made);
    if (code == BY_PYTHON && describe(program))
        code = create_described(program, name, made);
    if (code)
        weft_hot_give_back((uintptr_t)made);
    else
        *handle = (uintptr_t)made;
    return code;
}

uintptr_t hot_create_kernel(uintptr_t program, const char *name, int32_t *errcode) {
    uintptr_t handle = 0;
    int32_t code = hot_is_alone() ? BY_PYTHON : create_kernel(program, name, &handle);
    return needs_python(code) ? PYTHON(kernel_entry, create_kernel)(program, name, errcode) : set_errcode(code, errcode, handle);
}

/* ---- adoption by Python, and deletion without it */

weft_hot_kernel *weft_hot_find_unadopted_kernel(uintptr_t handle) {
    pthread_mutex_lock(&hot_lock);
    const block *target = hot_find(handle, WEFT_HOT_KERNEL);
    bool is_unadopted = target && !atomic_load(&target->adopted);
    weft_hot_kernel *found = is_unadopted ? (weft_hot_kernel *)atomic_load(&target->native) : NULL;
    pthread_mutex_unlock(&hot_lock);
    return found; /* valid without the lock: deleted kernels stay in the quarantine before they are freed */
}

int weft_hot_adopt(uintptr_t handle) {
    uint32_t unadopted = 0;
    return atomic_compare_exchange_strong(&((block *)handle)->adopted, &unadopted, 1);
}

/* Deleted kernels that are not freed yet, because a thread of a faulty client may still be setting an argument. A ring,
 * guarded by hot_lock. */
static weft_hot_kernel *quarantine[KERNEL_QUARANTINE];
static uint32_t quarantined;

static void free_later(weft_hot_kernel *kernel) {
    pthread_mutex_lock(&hot_lock);
    weft_hot_kernel **place = &quarantine[quarantined++ % KERNEL_QUARANTINE], *dropped = *place;
    *place = kernel;
    pthread_mutex_unlock(&hot_lock);
    if (dropped)
        weft_hot_free_kernel(dropped);
}

/* Removes a deleted object from the dependents of its owner, and deletes the owner if nothing else needs it. */
static void lose_dependent(uintptr_t handle, uint32_t kind) {
    block *owner = (block *)handle;
    if (atomic_fetch_sub(&owner->dependents, 1) != 1 || atomic_load(&owner->references) || hot_drop_unadopted(owner, kind))
        return;
    hot_list_deletion(owner, kind);
    hot_dispatch_pending();
}

bool hot_drop_unadopted(block *target, uint32_t kind) {
    uint32_t unadopted = 0;
    if ((kind != WEFT_HOT_PROGRAM && kind != WEFT_HOT_KERNEL) || atomic_load(&target->adopted))
        return false;
    /* The last dependent calls this function again. If the last release and the last dependent race, both threads may
     * get to the exchange below, and one of them succeeds. */
    if (atomic_load(&target->dependents))
        return true;
    if (!atomic_compare_exchange_strong(&target->adopted, &unadopted, 1))
        return false;
    if (kind == WEFT_HOT_KERNEL) {
        weft_hot_kernel *kernel = (weft_hot_kernel *)atomic_load(&target->native);
        uintptr_t program = kernel->program;
        weft_hot_give_back((uintptr_t)target);
        free_later(kernel);
        lose_dependent(program, WEFT_HOT_PROGRAM);
    } else {
        uintptr_t context = ((record *)atomic_load(&target->native))->context;
        weft_hot_give_back((uintptr_t)target);
        lose_dependent(context, WEFT_HOT_CONTEXT);
    }
    return true;
}
