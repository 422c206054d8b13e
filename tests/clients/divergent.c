/* A program whose kernel has a loop that each work-item leaves at another time; it ends without freeing anything. */
#include "client.h"

int main(void) {
    enum { ITEMS = 1024 };
    struct session s = open_session();
    const char *source =
        "__kernel void triangle(__global int *out) {\n"
        "    int i = get_global_id(0), sum = out[i];\n"
        "    for (int k = 0; k < i; k++) sum = sum * 3 + out[k & 1];\n"
        "    out[i] = sum;\n"
        "}\n";
    int32_t code = 1;
    s.program = clCreateProgramWithSource(s.context, 1, &source, NULL, &code);
    CHECK(s.program && code == CL_SUCCESS);
    CHECK(clBuildProgram(s.program, 1, &s.device, "", 0, 0) == CL_SUCCESS);
    s.kernel = clCreateKernel(s.program, "triangle", &code);
    CHECK(s.kernel && code == CL_SUCCESS);
    uintptr_t out = clCreateBuffer(s.context, CL_MEM_READ_WRITE, ITEMS * sizeof(int), 0, &code);
    CHECK(out && code == CL_SUCCESS);
    CHECK(!clSetKernelArg(s.kernel, 0, sizeof out, (uintptr_t)&out));
    size_t global = ITEMS, local = 64;
    CHECK(!clEnqueueNDRangeKernel(s.queue, s.kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    CHECK(!clFinish(s.queue));
    printf("ok\n");
    return 0;
}
