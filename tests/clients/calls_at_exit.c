/* Calls after exit() began: releasing succeeds, everything else is refused with a code, nothing crashes.

   The handlers are registered before the first call, between the start and the first build, and after it;
   the last one runs first, when the driver is still alive. */
#include "client.h"

static struct session session;
static uintptr_t event, buffer;

static void refused(void) {
    int32_t code = CL_SUCCESS;
    char text[64];
    const char *source = SOURCE;
    size_t global = COUNT;
    CHECK(!clGetPlatformInfo(session.platform, CL_PLATFORM_NAME, sizeof text, (uintptr_t)text, NULL));
    CHECK(clGetDeviceInfo(session.device, CL_DEVICE_NAME, sizeof text, (uintptr_t)text, NULL) < 0);
    CHECK(!clCreateProgramWithSource(session.context, 1, &source, NULL, &code) && code < 0);
    CHECK(clBuildProgram(session.program, 0, NULL, "", 0, 0) < 0);
    CHECK(clEnqueueNDRangeKernel(session.queue, session.kernel, 1, NULL, &global, NULL, 0, NULL, NULL) < 0);
    CHECK(clFinish(session.queue) < 0);
    CHECK(clWaitForEvents(1, &event) < 0);
}

static void first_registered(void) {
    refused();
    CHECK(!clReleaseEvent(event));
    CHECK(!clReleaseMemObject(buffer));
    close_session(&session);
    printf("ok\n");
    fflush(stdout);
}

static void last_registered(void) {
    CHECK(!clFinish(session.queue));
    add_vectors(&session);
}

int main(void) {
    int32_t code = 1;
    atexit(first_registered);
    session = open_session();
    atexit(refused);
    build(&session);
    add_vectors(&session);
    atexit(last_registered);
    buffer = clCreateBuffer(session.context, 0, 64, 0, &code);
    CHECK(!code);
    float zero = 0;
    CHECK(!clEnqueueFillBuffer(session.queue, buffer, (uintptr_t)&zero, 4, 0, 64, 0, NULL, &event));
    exit(0);
}
