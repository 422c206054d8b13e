/* Opens the shared object named by its argument as a loader would and asks for the number of devices. Says so if Python
   was loaded and its garbage collector is disabled. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

int main(int argc, char **argv) {
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library) return 1;
    int32_t (*platforms)(uint32_t, uintptr_t *, uint32_t *);
    int32_t (*devices)(uintptr_t, uint64_t, uint32_t, uintptr_t *, uint32_t *);
    uintptr_t platform, (*address)(const char *);
    uint32_t count = 0;
    *(void **)&platforms = dlsym(library, "clIcdGetPlatformIDsKHR");
    *(void **)&address = dlsym(library, "clGetExtensionFunctionAddress");
    if (platforms(1, &platform, NULL)) return 2;
    *(uintptr_t *)&devices = address("clGetDeviceIDs");
    int32_t code = 0;
    for (int i = 0; i < 2; i++) code = devices(platform, 0xFFFFFFFF, 0, NULL, &count);
    printf("%d %d\n", code, count > 0);
    int (*ensure)(void), (*enabled)(void);
    *(void **)&ensure = dlsym(RTLD_DEFAULT, "PyGILState_Ensure");
    *(void **)&enabled = dlsym(RTLD_DEFAULT, "PyGC_IsEnabled");
    if (ensure && enabled) {
        ensure();
        if (!enabled()) puts("no garbage is collected");
    }
    return 0;
}
