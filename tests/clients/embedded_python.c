/* A program with a Python of its own, which ends before the program does.

   argv: libpython, interpreter of the environment. Weft must use the Python that runs; after Py_Finalize
   every call must still come back. */
#include <dlfcn.h>
#include <wchar.h>

#include "client.h"

int main(int argc, char **argv) {
    CHECK(argc == 3);
    void *python = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    CHECK(python);
    wchar_t *(*decode)(const char *, size_t *) = dlsym(python, "Py_DecodeLocale");
    void (*set_program)(const wchar_t *) = dlsym(python, "Py_SetProgramName");
    void (*initialize)(int) = dlsym(python, "Py_InitializeEx");
    int (*finalize)(void) = dlsym(python, "Py_FinalizeEx");
    set_program(decode(argv[2], NULL));
    initialize(0);
    struct session s = open_session();
    build(&s);
    add_vectors(&s);
    CHECK(!finalize());
    char name[64];
    int32_t code = 0;
    CHECK(clGetDeviceInfo(s.device, CL_DEVICE_NAME, sizeof name, (uintptr_t)name, NULL) < 0);
    CHECK(clGetDeviceIDs(s.platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL) < 0);
    CHECK(!clCreateBuffer(s.context, 0, 64, 0, &code) && code < 0);
    CHECK(!clGetPlatformInfo(s.platform, CL_PLATFORM_NAME, sizeof name, (uintptr_t)name, NULL));
    close_session(&s);
    printf("ok\n");
    return 0;
}
