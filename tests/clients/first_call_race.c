/* Many threads make the first call at once: each must get the device, none may hang. */
#include <pthread.h>

#include "client.h"

enum { THREADS = 8 };

static pthread_barrier_t line;
static uintptr_t platform, devices[THREADS];

static void *first_call(void *argument) {
    uintptr_t *device = argument;
    pthread_barrier_wait(&line);
    *device = first_device(platform);
    char name[256];
    for (int i = 0; i < 100; i++) CHECK(!clGetDeviceInfo(*device, CL_DEVICE_NAME, sizeof name, (uintptr_t)name, NULL));
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    platform = weft_platform();
    pthread_barrier_init(&line, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) CHECK(!pthread_create(&threads[i], NULL, first_call, &devices[i]));
    for (int i = 0; i < THREADS; i++) CHECK(!pthread_join(threads[i], NULL));
    for (int i = 1; i < THREADS; i++) CHECK(devices[i] == devices[0]);
    printf("ok\n");
    return 0;
}
