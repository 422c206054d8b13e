/* Calls after exit() began, to the very end of the process: waits, queries, releases and transfers work; what needs
   the compiler works or is refused with a code; nothing crashes, hangs or prints.

   The handlers are registered before the first call, between the start and the first build, and after it; the
   destructor runs after all of them. */
#include "client.h"

static struct session session;
static uintptr_t event, buffer;

static void use(void) {
    int32_t code = 1;
    char text[256];
    size_t size = 0;
    uint32_t count = 0;
    uintptr_t found = 0, other;
    CHECK(!clGetPlatformInfo(session.platform, CL_PLATFORM_NAME, sizeof text, (uintptr_t)text, NULL));
    CHECK(!clGetDeviceIDs(session.platform, CL_DEVICE_TYPE_ALL, 1, &found, &count) && found == session.device);
    CHECK(!clGetDeviceInfo(session.device, CL_DRIVER_VERSION, sizeof text, (uintptr_t)text, NULL));
    CHECK(!clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, (uintptr_t)&size, NULL) && size == 64);
    CHECK(!clGetCommandQueueInfo(session.queue, CL_QUEUE_CONTEXT, sizeof found, (uintptr_t)&found, NULL));
    CHECK(found == session.context);
    CHECK(!clGetKernelInfo(session.kernel, CL_KERNEL_FUNCTION_NAME, sizeof text, (uintptr_t)text, NULL));
    CHECK(!strcmp(text, "add"));
    CHECK(!clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof count, (uintptr_t)&count, NULL));
    CHECK(!clFlush(session.queue));
    CHECK(!clFinish(session.queue));
    CHECK(!clWaitForEvents(1, &event));
    float values[16];
    CHECK(!clEnqueueReadBuffer(session.queue, buffer, CL_TRUE, 0, 64, (uintptr_t)values, 0, NULL, NULL));
    other = clCreateBuffer(session.context, 0, 64, 0, &code);
    CHECK(other && !code && !clReleaseMemObject(other));
}

static void compile(void) {
    const char *source = "__kernel void other(void) {}";
    int32_t code = 1;
    uintptr_t program = clCreateProgramWithSource(session.context, 1, &source, NULL, &code);
    CHECK(program && !code);
    code = clBuildProgram(program, 0, NULL, "", 0, 0);
    CHECK(code == CL_SUCCESS || code == CL_OUT_OF_RESOURCES);
    size_t global = COUNT;
    code = clEnqueueNDRangeKernel(session.queue, session.kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    CHECK(code == CL_OUT_OF_RESOURCES || code == CL_INVALID_KERNEL_ARGS); /* its buffers were released */
    CHECK(!clReleaseProgram(program));
}

static void first_registered(void) {
    use();
    compile();
}

static void last_registered(void) {
    use();
    add_vectors(&session);
    use();
}

__attribute__((destructor)) static void destroy(void) {
    first_registered();
    void *memory = (void *)clSVMAlloc(session.context, 0, 64, 0);
    CHECK(memory);
    CHECK(!clEnqueueSVMFree(session.queue, 1, (uintptr_t *)&memory, 0, 0, 0, NULL, NULL));
    CHECK(!clFinish(session.queue));
    CHECK(!clReleaseEvent(event));
    CHECK(!clReleaseMemObject(buffer));
    close_session(&session);
    printf("ok\n");
    fflush(stdout);
}

int main(void) {
    int32_t code = 1;
    atexit(first_registered);
    session = open_session();
    atexit(first_registered);
    build(&session);
    add_vectors(&session);
    atexit(last_registered);
    buffer = clCreateBuffer(session.context, 0, 64, 0, &code);
    CHECK(!code);
    float zero = 0;
    CHECK(!clEnqueueFillBuffer(session.queue, buffer, (uintptr_t)&zero, 4, 0, 64, 0, NULL, &event));
    exit(0);
}
