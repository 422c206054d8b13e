/* Forks while other threads are inside calls; the child and the parent both go on working. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

enum { THREADS = 3, FORKS = 5 };

static volatile int stop;
static struct session session;

static void *query(void *unused) {
    (void)unused;
    char name[256];
    while (!stop) CHECK(!clGetDeviceInfo(session.device, CL_DEVICE_NAME, sizeof name, (uintptr_t)name, NULL));
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    session = open_session();
    build(&session);
    add_vectors(&session);
    for (int i = 0; i < THREADS; i++) CHECK(!pthread_create(&threads[i], NULL, query, NULL));
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (!child) {
            struct session fresh = open_session();
            build(&fresh);
            add_vectors(&fresh);
            exit(0);
        }
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        add_vectors(&session);
    }
    stop = 1;
    for (int i = 0; i < THREADS; i++) CHECK(!pthread_join(threads[i], NULL));
    close_session(&session);
    printf("ok\n");
    return 0;
}
