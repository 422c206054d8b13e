/* Callbacks of contexts, builds and events release objects, and build a program whose kernel they have just released. */
#include <unistd.h>

#include "client.h"

static struct session s;
static uintptr_t buffer;
static volatile int deleted, calls, ended;

static void when_deleted(uintptr_t memory, void *data) {
    (void)memory, (void)data;
    deleted++;
}

/* In a callback. */
static void release_and_build(void) {
    int32_t code = 1;
    calls++;
    CHECK(!clReleaseKernel(s.kernel));
    CHECK(!clReleaseMemObject(buffer));
    CHECK(!clBuildProgram(s.program, 1, &s.device, "-DAGAIN", 0, 0));
    s.kernel = clCreateKernel(s.program, "add", &code);
    CHECK(s.kernel && code == CL_SUCCESS);
}

static void when_wrong(const char *text, const void *data, size_t size, void *user) {
    (void)text, (void)data, (void)size, (void)user;
    release_and_build();
}

static void when_built(uintptr_t program, void *user) {
    (void)program, (void)user;
    release_and_build();
}

static void when_complete(uintptr_t event, int32_t status, void *user) {
    (void)event, (void)user;
    CHECK(status == 0);
    release_and_build();
    ended = 1;
}

static void new_buffer(void) {
    int32_t code = 1;
    buffer = clCreateBuffer(s.context, 0, 64, 0, &code);
    CHECK(buffer && code == CL_SUCCESS);
    CHECK(!clSetMemObjectDestructorCallback(buffer, (uintptr_t)when_deleted, 0));
}

static void expect(int count) {
    CHECK(calls == count);
    CHECK(deleted == count);
}

int main(void) {
    int32_t code = 1;
    s.platform = weft_platform();
    s.device = first_device(s.platform);
    s.context = clCreateContext(NULL, 1, &s.device, (uintptr_t)when_wrong, 0, &code);
    CHECK(s.context && code == CL_SUCCESS);
    s.queue = clCreateCommandQueue(s.context, s.device, 0, &code);
    CHECK(s.queue && code == CL_SUCCESS);
    build(&s);

    new_buffer();
    CHECK(!clCreateBuffer(s.context, 0, 0, 0, &code) && code != CL_SUCCESS);
    expect(1);

    new_buffer();
    const char *source = SOURCE;
    uintptr_t other = clCreateProgramWithSource(s.context, 1, &source, NULL, &code);
    CHECK(other && code == CL_SUCCESS);
    CHECK(!clBuildProgram(other, 1, &s.device, "", (uintptr_t)when_built, 0));
    expect(2);

    new_buffer();
    uintptr_t event = 0;
    CHECK(!clEnqueueMarkerWithWaitList(s.queue, 0, NULL, &event));
    CHECK(!clSetEventCallback(event, 0, (uintptr_t)when_complete, 0));
    for (int i = 0; i < 3000 && (!ended || deleted < 3); i++) usleep(10000);
    expect(3);

    add_vectors(&s);
    CHECK(!clReleaseEvent(event));
    CHECK(!clReleaseProgram(other));
    close_session(&s);
    printf("ok\n");
    return 0;
}
