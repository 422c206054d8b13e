/* A limit on the size of files (RLIMIT_FSIZE) leaves the device `isolated` without memory, which is an error. */
#include <sys/resource.h>

#include "client.h"

int main(void) {
    CHECK(!setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 20, 1 << 20}));
    struct session s = open_session();
    int32_t code = 1;
    CHECK(!clCreateBuffer(s.context, CL_MEM_READ_WRITE, 64, 0, &code) && code == CL_MEM_OBJECT_ALLOCATION_FAILURE);
    CHECK(!clReleaseCommandQueue(s.queue) && !clReleaseContext(s.context));
    printf("ok\n");
    return 0;
}
