/* A plain program: finds the platform, builds a kernel, runs it, checks the result, frees everything. */
#include "client.h"

int main(void) {
    struct session s = open_session();
    char name[256], log[64];
    CHECK(!clGetDeviceInfo(s.device, CL_DEVICE_NAME, sizeof name, (uintptr_t)name, NULL));
    build(&s);
    CHECK(!clGetProgramBuildInfo(s.program, s.device, CL_PROGRAM_BUILD_LOG, sizeof log, (uintptr_t)log, NULL));
    for (int i = 0; i < 3; i++) add_vectors(&s);
    CHECK(!clFlush(s.queue));
    CHECK(!clFinish(s.queue));
    close_session(&s);
    printf("ok\n");
    return 0;
}
