/* A limit on the size of files (RLIMIT_FSIZE) makes the cache unusable; it does not end the program by SIGXFSZ. */
#include <sys/resource.h>

#include "client.h"

int main(void) {
    CHECK(!setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0}));
    struct session s = open_session();
    build(&s);
    add_vectors(&s);
    close_session(&s);
    printf("ok\n");
    return 0;
}
