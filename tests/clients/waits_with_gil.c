/* A library of a Python program that waits, with Python's lock held, for a thread of its own that calls OpenCL. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { EVENT_REFERENCES = 0x11D2, EVENT_STATUS = 0x11D3, PROFILING_END = 0x1283, INVALID_CONTEXT = -34, PATIENCE_SECONDS = 40 };

struct objects {
    uintptr_t context, queue, program, kernel, buffer, memory;
    uintptr_t launched, copied, user; /* events: made by C, by Python, and the client's */
    uintptr_t shared, blocking_free, free; /* memory of an extension, and its functions */
};

static void *loader;
static struct objects objects;
static int reached; /* the step that the thread is at; negative: the step that failed */
static int deleted;

#define CALL(name, ...) (((int32_t (*)())dlsym(loader, #name))(__VA_ARGS__))
#define STEP(number, condition) \
    do { \
        __atomic_store_n(&reached, number, __ATOMIC_SEQ_CST); \
        if (!(condition)) { \
            __atomic_store_n(&reached, -(number), __ATOMIC_SEQ_CST); \
            return NULL; \
        } \
    } while (0)

static int count(uintptr_t event, uint32_t param) {
    int32_t value = -1000;
    return CALL(clGetEventInfo, event, param, sizeof value, &value, NULL) ? -1001 : value;
}

/* Whether memory of a wrong context is refused; what is wrong with a pointer, the thread is not told. */
static int frees_what_is_not_there(uintptr_t function) {
    int32_t (*release)(uintptr_t, uintptr_t) = (int32_t (*)(uintptr_t, uintptr_t))function;
    const uintptr_t wrong[] = {0, 1, objects.queue, objects.buffer, objects.context + 64, objects.context + 1, ~(uintptr_t)0};
    const uintptr_t pointers[] = {0, 1, objects.shared, objects.shared + 64, objects.context, (uintptr_t)&objects, ~(uintptr_t)0};
    for (int i = 0; i < 7; i++)
        if (release(wrong[i], objects.shared) != INVALID_CONTEXT || release(objects.context, pointers[i])) return 0;
    return 1;
}

static void *work(void *unused) {
    (void)unused;
    const uintptr_t events[] = {objects.launched, objects.copied, objects.user};
    for (int i = 0; i < 3; i++) {
        STEP(1, !CALL(clRetainEvent, events[i]));
        STEP(2, count(events[i], EVENT_REFERENCES) >= 2);
        STEP(3, count(events[i], EVENT_STATUS) >= 0);
        STEP(4, !CALL(clReleaseEvent, events[i]));
    }
    STEP(5, !CALL(clSetUserEventStatus, objects.user, 0));
    STEP(6, !CALL(clWaitForEvents, 3, events));
    uint64_t ended = 0;
    STEP(7, !CALL(clGetEventProfilingInfo, objects.launched, PROFILING_END, sizeof ended, &ended, NULL) && ended);
    uintptr_t marker = 0, again = 0;
    const size_t size = 1000;
    STEP(8, !CALL(clEnqueueNDRangeKernel, objects.queue, objects.kernel, 1, NULL, &size, NULL, 2, events, &again));
    STEP(9, !CALL(clEnqueueMarkerWithWaitList, objects.queue, 1, &again, &marker));
    STEP(10, !CALL(clFlush, objects.queue) && !CALL(clFinish, objects.queue));
    STEP(11, !CALL(clReleaseEvent, marker) && !CALL(clReleaseEvent, again));
    STEP(12, !CALL(clRetainContext, objects.context) && !CALL(clReleaseContext, objects.context));
    STEP(13, !CALL(clRetainCommandQueue, objects.queue) && !CALL(clReleaseCommandQueue, objects.queue));
    STEP(14, !CALL(clRetainProgram, objects.program) && !CALL(clReleaseProgram, objects.program));
    STEP(15, !CALL(clRetainKernel, objects.kernel) && !CALL(clReleaseKernel, objects.kernel));
    STEP(16, !CALL(clRetainMemObject, objects.buffer) && !CALL(clReleaseMemObject, objects.buffer));
    /* The last references: what Python has to do for these, it does later. */
    STEP(17, !CALL(clReleaseEvent, objects.user) && !CALL(clReleaseEvent, objects.copied));
    STEP(18, !CALL(clReleaseMemObject, objects.memory));
    STEP(19, CALL(clReleaseMemObject, objects.memory));
    STEP(20, !CALL(clEnqueueNDRangeKernel, objects.queue, objects.kernel, 1, NULL, &size, NULL, 0, NULL, &again));
    STEP(21, !((int32_t (*)(uintptr_t, uintptr_t))objects.blocking_free)(objects.context, objects.shared));
    STEP(22, !count(again, EVENT_STATUS));
    STEP(23, frees_what_is_not_there(objects.blocking_free) && frees_what_is_not_there(objects.free));
    STEP(24, 1);
    return NULL;
}

/* The last step that the thread came to within its time; negative: its step that failed. */
__attribute__((visibility("default"))) int run(const char *path, const struct objects *given) {
    pthread_t thread;
    struct timespec end;
    loader = dlopen(path, RTLD_NOW);
    objects = *given;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE_SECONDS;
    if (pthread_create(&thread, NULL, work, NULL)) return 0;
    pthread_timedjoin_np(thread, NULL, &end);
    return __atomic_load_n(&reached, __ATOMIC_SEQ_CST);
}

__attribute__((visibility("default"))) void on_delete(uintptr_t memory, void *unused) {
    (void)memory, (void)unused;
    __atomic_store_n(&deleted, 1, __ATOMIC_SEQ_CST);
}

__attribute__((visibility("default"))) int is_deleted(void) { return __atomic_load_n(&deleted, __ATOMIC_SEQ_CST); }
