/* A driver with a platform and no devices: what another implementation beside Weft is to a loader. */
#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { ENTRIES = 256, CL_DEVICE_NOT_FOUND = -1, CL_INVALID_VALUE = -30 };

static void *dispatch[ENTRIES];
static struct { void **dispatch; } platform = {dispatch};

EXPORT int32_t clIcdGetPlatformIDsKHR(uint32_t room, uintptr_t *platforms, uint32_t *count) {
    if (platforms && room) platforms[0] = (uintptr_t)&platform;
    if (count) *count = 1;
    return 0;
}

EXPORT int32_t clGetPlatformInfo(uintptr_t asked, uint32_t name, size_t room, char *value, size_t *size) {
    (void)asked;
    const char *text = "";
    switch (name) {
        case 0x0900: text = "FULL_PROFILE"; break;
        case 0x0901: text = "OpenCL 3.0 nothing"; break;
        case 0x0902: text = "Empty"; break;
        case 0x0903: text = "Nobody"; break;
        case 0x0904: text = "cl_khr_icd"; break;
        case 0x0920: text = "EMPTY"; break;
        default: return CL_INVALID_VALUE;
    }
    size_t length = strlen(text) + 1;
    if (value && room < length) return CL_INVALID_VALUE;
    if (value) memcpy(value, text, length);
    if (size) *size = length;
    return 0;
}

static int32_t no_devices(uintptr_t asked, uint64_t type, uint32_t room, uintptr_t *devices, uint32_t *count) {
    (void)asked, (void)type, (void)room, (void)devices;
    if (count) *count = 0;
    return CL_DEVICE_NOT_FOUND;
}

static int32_t refuse(void) { return CL_INVALID_VALUE; }

__attribute__((constructor)) static void fill(void) {
    for (int i = 0; i < ENTRIES; i++) dispatch[i] = (void *)refuse;
    dispatch[0] = (void *)clIcdGetPlatformIDsKHR;
    dispatch[1] = (void *)clGetPlatformInfo;
    dispatch[2] = (void *)no_devices;
}

EXPORT void *clGetExtensionFunctionAddress(const char *name) {
    return strcmp(name, "clIcdGetPlatformIDsKHR") ? 0 : (void *)clIcdGetPlatformIDsKHR;
}
