/* The main thread returns while others are inside calls: each call ends with success or an error code. */
#include <pthread.h>

#include "client.h"

enum { THREADS = 3 };

static struct session session;
static pthread_barrier_t line;

static void *use(void *unused) {
    (void)unused;
    char name[256];
    int32_t code, waited = 0;
    for (;;) {
        code = clGetDeviceInfo(session.device, CL_DEVICE_NAME, sizeof name, (uintptr_t)name, NULL);
        CHECK(code == CL_SUCCESS || code == CL_OUT_OF_RESOURCES);
        uintptr_t buffer = clCreateBuffer(session.context, 0, 4096, 0, &code);
        CHECK(buffer ? code == CL_SUCCESS : code == CL_OUT_OF_RESOURCES);
        if (buffer) clReleaseMemObject(buffer);
        clFinish(session.queue);
        if (!waited++) pthread_barrier_wait(&line);
    }
}

int main(void) {
    pthread_t thread;
    session = open_session();
    build(&session);
    add_vectors(&session);
    pthread_barrier_init(&line, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) CHECK(!pthread_create(&thread, NULL, use, NULL));
    pthread_barrier_wait(&line);
    printf("ok\n");
    return 0;
}
