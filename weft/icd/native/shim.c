/* The shared object that OpenCL loaders open. It handles calls on the platform in C, and starts Python at the
   first call that needs it; the driver module then puts Python functions into the dispatch table.

   It is not linked with libpython and needs no Python header. In a Python process it uses the functions of that
   process; in any other process it loads the interpreter that Weft was installed for.

   Locks. A thread of a Python process may call with the interpreter's lock (GIL) held, so no lock of this file is
   held while a thread waits for the GIL. A loader may hold a lock of its own when it queries platforms and counts
   devices, and other threads may wait for that lock with the GIL held. Such calls are therefore handled without
   Python wherever there may be a GIL. `launching` is used only while no Python runs, so no thread can hold the GIL
   and wait for it. The rest of the start runs under the GIL alone, in Python code that several threads may run. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "ended.h"
#include "locate.h"
#include "weft_entries.h"

#define EXPORT __attribute__((visibility("default")))

enum {
    CL_SUCCESS = 0,
    CL_DEVICE_NOT_FOUND = -1,
    CL_OUT_OF_RESOURCES = -5,
    CL_INVALID_VALUE = -30,
    CL_INVALID_DEVICE_TYPE = -31,
    CL_INVALID_PLATFORM = -32,
    CL_INVALID_CONTEXT = -34,
};

typedef struct PyObject PyObject;

/* Functions of the stable interface of Python, and PyGILState_Check, which all versions export. */
#define PYTHON_FUNCTIONS(F) \
    F(int, Py_IsInitialized, (void)) \
    F(const char *, Py_GetVersion, (void)) \
    F(wchar_t *, Py_DecodeLocale, (const char *, size_t *)) \
    F(void, Py_SetProgramName, (const wchar_t *)) \
    F(void, Py_InitializeEx, (int)) \
    F(void *, PyEval_SaveThread, (void)) \
    F(int, PyGILState_Ensure, (void)) \
    F(void, PyGILState_Release, (int)) \
    F(int, PyGILState_Check, (void)) \
    F(void, PyOS_BeforeFork, (void)) \
    F(void, PyOS_AfterFork_Parent, (void)) \
    F(void, PyOS_AfterFork_Child, (void)) \
    F(PyObject *, PyImport_ImportModule, (const char *)) \
    F(PyObject *, PyObject_CallMethod, (PyObject *, const char *, const char *, ...)) \
    F(PyObject *, PySys_GetObject, (const char *)) \
    F(PyObject *, PyUnicode_DecodeFSDefault, (const char *)) \
    F(int, PyList_Append, (PyObject *, PyObject *)) \
    F(PyObject *, PyObject_Repr, (PyObject *)) \
    F(PyObject *, PyUnicode_AsEncodedString, (PyObject *, const char *, const char *)) \
    F(char *, PyBytes_AsString, (PyObject *)) \
    F(void, PyErr_Fetch, (PyObject **, PyObject **, PyObject **)) \
    F(void, PyErr_Restore, (PyObject *, PyObject *, PyObject *)) \
    F(void, PyErr_NormalizeException, (PyObject **, PyObject **, PyObject **)) \
    F(void, PyErr_Clear, (void)) \
    F(void, PyErr_Print, (void)) \
    F(void, Py_DecRef, (PyObject *))

struct python {
#define F(result, name, parameters) result (*name) parameters;
    PYTHON_FUNCTIONS(F)
#undef F
};

static struct { void **dispatch; } platform = {dispatch};
static void *list_devices; /* like a slot of the table, but called by native_clGetDeviceIDs, which is in the table */

static pthread_mutex_t launching = PTHREAD_MUTEX_INITIALIZER;
static int in_launch;           /* Python is being initialized: wait for `launching` */
static int refused;             /* Python cannot be started, or has ended: do not try again */
static struct python embedded;  /* set when this file has launched Python; used by the fork handlers */

static void complain(const char *what, const char *detail) {
    static int complained;
    if (!__atomic_exchange_n(&complained, 1, __ATOMIC_RELAXED)) fprintf(stderr, "weft: %s%s\n", what, detail);
}

/* ---- shutdown ------------------------------------------------------------------------------------- */

/* Called when Python shuts down and no command runs any more. A Python that this file has launched never shuts down. */
static void end(void) {
    __atomic_store_n(&refused, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&list_devices, (void *)ended_clGetDeviceIDs, __ATOMIC_RELEASE);
    for (int i = 0; i < WEFT_ENTRIES; i++)
        if (i != AT_clGetDeviceIDs) __atomic_store_n(&dispatch[i], ended_entries[i], __ATOMIC_RELEASE);
}

static void compiler_ends(void) {
    for (size_t i = 0; i < sizeof needs_compiler / sizeof *needs_compiler; i++)
        __atomic_store_n(&dispatch[needs_compiler[i]], ended_entries[needs_compiler[i]], __ATOMIC_RELEASE);
}

/* Exit handlers and the destructors of libraries run in reverse order of registration. The driver calls this when LLVM
   has been loaded, so that no call reaches LLVM after its destructors. */
static void guard_compiler(void) { atexit(compiler_ends); }

static void ended_free(uintptr_t function, uintptr_t queue, uint32_t count, const uintptr_t *pointers, uintptr_t data) {
    ((void (*)(uintptr_t, uint32_t, const uintptr_t *, uintptr_t))function)(queue, count, pointers, data);
}

static int32_t ended_clGetSupportedImageFormats(uintptr_t context, uint64_t flags, uint32_t image_type,
                                                uint32_t num_entries, void *image_formats, uint32_t *num_image_formats) {
    enum { FORMAT_BYTES = 8 };
    (void)flags;
    size_t size = 0;
    int32_t code = weft_ended_query(AT_clGetSupportedImageFormats, context, 0, image_type, 0, 0, &size, CL_INVALID_CONTEXT);
    if (code) return code;
    if (image_formats && !num_entries) return CL_INVALID_VALUE;
    char *all = image_formats ? malloc(size) : NULL;
    if (image_formats && !all) return CL_OUT_OF_RESOURCES;
    if (all) {
        size_t wanted = (size_t)num_entries * FORMAT_BYTES;
        weft_ended_query(AT_clGetSupportedImageFormats, context, 0, image_type, size, (uintptr_t)all, NULL, CL_INVALID_CONTEXT);
        memcpy(image_formats, all, wanted < size ? wanted : size);
        free(all);
    }
    if (num_image_formats) *num_image_formats = (uint32_t)(size / FORMAT_BYTES);
    return CL_SUCCESS;
}

/* The clock of profiling times, the same as in weft/device. */
static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int32_t ended_clGetDeviceAndHostTimer(uintptr_t device, uint64_t *device_timestamp, uint64_t *host_timestamp) {
    (void)device;
    if (!device_timestamp || !host_timestamp) return CL_INVALID_VALUE;
    *device_timestamp = *host_timestamp = now();
    return CL_SUCCESS;
}

static int32_t ended_clGetHostTimer(uintptr_t device, uint64_t *host_timestamp) {
    uint64_t same;
    return ended_clGetDeviceAndHostTimer(device, &same, host_timestamp);
}

/* ---- fork in a process that is not a Python program ----------------------------------------------- */

static __thread int fork_gil = -1;  /* PyGILState_STATE of the forking thread; -1: the fork was made by Python */

static void before_fork(void) {
    fork_gil = -1;
    if (embedded.PyGILState_Check()) return;
    int state = embedded.PyGILState_Ensure();
    embedded.PyOS_BeforeFork();
    fork_gil = state;
}

static void after_fork(void (*notify)(void)) {
    if (fork_gil < 0) return;
    notify();
    embedded.PyGILState_Release(fork_gil);
    fork_gil = -1;
}

static void after_fork_parent(void) { after_fork(embedded.PyOS_AfterFork_Parent); }
static void after_fork_child(void) { after_fork(embedded.PyOS_AfterFork_Child); }

/* ---- start-up ------------------------------------------------------------------------------------- */

static int find_functions(struct python *python) {
#define F(result, name, parameters) \
    if (!(*(void **)&python->name = dlsym(RTLD_DEFAULT, #name))) return 0;
    PYTHON_FUNCTIONS(F)
#undef F
    return 1;
}

static int is_running(struct python *python) {
    return !__atomic_load_n(&in_launch, __ATOMIC_ACQUIRE) && find_functions(python) && python->Py_IsInitialized();
}

/* Disables or enables Python's garbage collector, by the name of the function; older versions of Python lack it. */
static void switch_collector(const char *name) {
    int (*function)(void);
    *(void **)&function = dlsym(RTLD_DEFAULT, name);
    if (function) function();
}

/* Starts an interpreter in a process that has none. The caller holds `launching`. */
static int launch(struct python *python, const struct weft_location *location) {
    if (!find_functions(python)) {
        if (!weft_open_libpython(location)) {
            complain("this program is not Python and no shared libpython was found for ", location->site);
            return 0;
        }
        if (!find_functions(python)) {
            complain("this libpython lacks functions that Weft needs: ", location->libpython);
            return 0;
        }
    }
    if (python->Py_IsInitialized()) return 1; /* another thread was first, or Python was loaded privately */
    __atomic_store_n(&in_launch, 1, __ATOMIC_RELEASE);
    /* Python sets LC_CTYPE of the process; it is restored afterwards. */
    const char *current = setlocale(LC_CTYPE, NULL);
    char *ctype = current ? strdup(current) : NULL;
    /* PYTHONPATH, PYTHONHOME, ... are meant for other interpreters, and an invalid one would end the program. */
    int *ignore_environment = dlsym(RTLD_DEFAULT, "Py_IgnoreEnvironmentFlag");
    if (ignore_environment) *ignore_environment = 1;
    if (*location->program) python->Py_SetProgramName(python->Py_DecodeLocale(location->program, NULL));
    python->Py_InitializeEx(0); /* 0: keep the program's signal handlers */
    /* What is imported stays: the driver enables the collector again when it has been. */
    switch_collector("PyGC_Disable");
    python->PyEval_SaveThread();
    if (ctype) setlocale(LC_CTYPE, ctype);
    free(ctype);
    embedded = *python;
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
    __atomic_store_n(&in_launch, 0, __ATOMIC_RELEASE);
    return 1;
}

static int append_path(struct python *python, const char *folder) {
    PyObject *path = python->PySys_GetObject("path");
    PyObject *entry = python->PyUnicode_DecodeFSDefault(folder);
    int added = path && entry && python->PyList_Append(path, entry) == 0;
    if (entry) python->Py_DecRef(entry);
    return added;
}

/* Makes `weft` and its dependencies importable in an interpreter that was not started for it. */
static int add_site(struct python *python, const struct weft_location *location) {
    size_t length = strlen(location->version);
    const char *running = python->Py_GetVersion();
    if (length && (strncmp(running, location->version, length) || running[length] != '.')) {
        static char detail[64 + PATH_MAX];
        snprintf(detail, sizeof detail, "%s (%s), not for the %.16s of this program", location->version,
                 location->site, running);
        complain("installed for Python ", detail);
        return 0;
    }
    return append_path(python, location->site) && (!*location->packages || append_path(python, location->packages));
}

static struct {
    uint32_t revision, count;
    void **dispatch;
    void *const *missing;
    void *platform;
    void **list_devices;
    void (*keep)(const struct weft_ended_object *, size_t, const struct weft_ended_answer *, size_t, const void *, size_t);
    void (*end)(void);
    void (*guard_compiler)(void);
    int is_embedded;
} shim = {3, WEFT_ENTRIES, dispatch, missing_entries, &platform, &list_devices, weft_ended_keep, end, guard_compiler, 0};

/* Prints one line that says why the driver does not start; the traceback too if WEFT_VERBOSE=1. */
static void complain_of_exception(struct python *python) {
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    python->PyErr_Fetch(&type, &value, &traceback);
    python->PyErr_NormalizeException(&type, &value, &traceback);
    PyObject *words = value ? python->PyObject_Repr(value) : NULL;
    PyObject *bytes = words ? python->PyUnicode_AsEncodedString(words, "utf-8", "backslashreplace") : NULL;
    const char *text = bytes ? python->PyBytes_AsString(bytes) : NULL;
    complain("the driver cannot start in Python: ", text ? text : "for no known reason");
    if (bytes) python->Py_DecRef(bytes);
    if (words) python->Py_DecRef(words);
    python->PyErr_Clear(); /* errors of these calls */
    python->PyErr_Restore(type, value, traceback);
    const char *verbose = getenv("WEFT_VERBOSE");
    if (verbose && *verbose && strcmp(verbose, "0")) python->PyErr_Print();
    python->PyErr_Clear();
}

/* Imports the driver, which fills the dispatch table. The caller holds the GIL; several threads may call this. */
static int attach(struct python *python, const struct weft_location *location) {
    shim.is_embedded = embedded.Py_IsInitialized != NULL;
    PyObject *driver = python->PyImport_ImportModule("weft.icd.driver");
    if (!driver) {
        /* Python finds no Weft, or it finds a source tree in the current folder but not Weft's dependencies. */
        python->PyErr_Clear();
        if (!add_site(python, location)) return 0;
        driver = python->PyImport_ImportModule("weft.icd.driver");
    }
    PyObject *done = driver ? python->PyObject_CallMethod(driver, "attach", "K",
                                                          (unsigned long long)(uintptr_t)&shim) : NULL;
    if (driver) python->Py_DecRef(driver);
    if (done) {
        python->Py_DecRef(done);
        return 1;
    }
    complain_of_exception(python);
    return 0;
}

static int start(void) {
    struct python python;
    struct weft_location *location = malloc(sizeof *location);
    if (!location) return 0;
    weft_locate(location);
    int running = is_running(&python);
    if (!running) {
        pthread_mutex_lock(&launching);
        running = !__atomic_load_n(&refused, __ATOMIC_SEQ_CST) && launch(&python, location);
        pthread_mutex_unlock(&launching);
    }
    int attached = 0;
    if (running) {
        int gil = python.PyGILState_Ensure();
        PyObject *type, *value, *traceback; /* the calling thread may be raising an exception */
        python.PyErr_Fetch(&type, &value, &traceback);
        attached = attach(&python, location);
        /* Other code of the program may use the interpreter that the driver could not. */
        if (!attached && shim.is_embedded) switch_collector("PyGC_Enable");
        python.PyErr_Restore(type, value, traceback);
        python.PyGILState_Release(gil);
    }
    free(location);
    return attached;
}

static void **slot(int index) { return index == AT_clGetDeviceIDs ? &list_devices : &dispatch[index]; }

static void *weft_entry_after_start(int index) {
    void *entry = __atomic_load_n(slot(index), __ATOMIC_ACQUIRE);
    if (entry != start_entries[index]) return entry;
    if (!__atomic_load_n(&refused, __ATOMIC_SEQ_CST) && !start()) __atomic_store_n(&refused, 1, __ATOMIC_SEQ_CST);
    entry = __atomic_load_n(slot(index), __ATOMIC_ACQUIRE);
    return entry != start_entries[index] ? entry : ended_entries[index];
}

/* ---- devices -------------------------------------------------------------------------------------- */

enum { MOST_DEVICES = sizeof(const char *[]){WEFT_DEVICE_KINDS} / sizeof(const char *) };

struct device_list {
    uint32_t count;
    uint64_t types[MOST_DEVICES];
};

static uintptr_t devices_known[MOST_DEVICES];
static uint32_t devices_known_count; /* stored with release order after the handles, which never change then */

static int is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Whether a folder in PATH has a program of that name, with or without the suffix `-static`. */
static int is_in_path(const char *name) {
    const char *path = getenv("PATH");
    for (const char *at = path && *path ? path : WEFT_DEFAULT_PATH; *at;) {
        size_t length = strcspn(at, ":");
        for (int is_static = 0; length && is_static < 2; is_static++) {
            char file[4096];
            struct stat found;
            int used = snprintf(file, sizeof file, "%.*s/%s%s", (int)length, at, name, is_static ? "-static" : "");
            if (used < (int)sizeof file && !stat(file, &found) && !S_ISDIR(found.st_mode) && !access(file, F_OK | X_OK))
                return 1;
        }
        at += length + (at[length] == ':');
    }
    return 0;
}

static void add_device(struct device_list *list, int *wanted, int kind) {
    static const uint64_t types[] = {WEFT_DEVICE_TYPES};
    if (!wanted[kind]) list->types[list->count++] = types[kind];
    wanted[kind] = 1;
}

/* Fills in the devices that WEFT_DEVICES names, in its order. Prints a message and returns false if one does not exist. */
static int wanted_devices(struct device_list *list) {
    static const char *const kinds[] = {WEFT_DEVICE_KINDS}, *const programs[] = {WEFT_DEVICE_PROGRAMS};
    const char *text = getenv("WEFT_DEVICES");
    int wanted[MOST_DEVICES] = {0}, is_there[MOST_DEVICES];
    for (int kind = 0; kind < MOST_DEVICES; kind++) is_there[kind] = !*programs[kind] || is_in_path(programs[kind]);
    list->count = 0;
    for (const char *at = text && *text ? text : WEFT_DEFAULT_DEVICES; *at;) {
        const char *start = at, *stop = at + strcspn(at, ",");
        at = *stop ? stop + 1 : stop;
        while (start < stop && is_blank(*start)) start++;
        while (start < stop && is_blank(stop[-1])) stop--;
        size_t length = (size_t)(stop - start);
        int kind = 0;
        if (!length) continue;
        if (length == 3 && !memcmp(start, "all", 3)) {
            for (kind = 0; kind < MOST_DEVICES; kind++)
                if (is_there[kind]) add_device(list, wanted, kind);
            continue;
        }
        while (kind < MOST_DEVICES && (strlen(kinds[kind]) != length || memcmp(kinds[kind], start, length))) kind++;
        if (kind == MOST_DEVICES || !is_there[kind]) {
            fprintf(stderr, "weft: WEFT_DEVICES: unknown device '%.*s'; available: %s", (int)length, start, kinds[0]);
            for (kind = 1; kind < MOST_DEVICES; kind++)
                if (is_there[kind]) fprintf(stderr, ", %s", kinds[kind]);
            fputc('\n', stderr);
            return 0;
        }
        add_device(list, wanted, kind);
    }
    return 1;
}

/* Whether there is no Python in the process, so Python can be started now: no thread can hold the GIL and wait for the
   loader. */
static int is_without_python(void) {
    struct python python;
    return __atomic_load_n(&list_devices, __ATOMIC_ACQUIRE) == start_entries[AT_clGetDeviceIDs] &&
           !__atomic_load_n(&in_launch, __ATOMIC_ACQUIRE) && !find_functions(&python);
}

static struct device_list list_known; /* published together with the handles, by devices_known_count */

/* Finds the types of all devices. Returns an error code if there are none. */
static int32_t find_devices(struct device_list *list) {
    if (__atomic_load_n(&devices_known_count, __ATOMIC_ACQUIRE)) {
        *list = list_known;
        return CL_SUCCESS;
    }
    if (is_without_python()) weft_entry_after_start(AT_clGetDeviceIDs);
    if (__atomic_load_n(&refused, __ATOMIC_SEQ_CST)) return CL_DEVICE_NOT_FOUND;
    if (!wanted_devices(list)) return CL_OUT_OF_RESOURCES;
    return list->count ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

static int32_t (*listing(void))(uintptr_t, uint64_t, uint32_t, uintptr_t *, uint32_t *) {
    return __atomic_load_n(&list_devices, __ATOMIC_ACQUIRE);
}

/* Lets Python list the devices once; afterwards they are known here. */
static int32_t know_devices(uint64_t all) {
    uintptr_t found[MOST_DEVICES];
    uint32_t count = 0;
    struct device_list list;
    if (__atomic_load_n(&devices_known_count, __ATOMIC_ACQUIRE)) return CL_SUCCESS;
    int32_t code = listing()((uintptr_t)&platform, all, MOST_DEVICES, found, &count);
    if (code) return code;
    if (!wanted_devices(&list) || list.count != count) return CL_OUT_OF_RESOURCES; /* the variable has just changed */
    for (uint32_t i = 0; i < count; i++) {
        __atomic_store_n(&devices_known[i], found[i], __ATOMIC_RELAXED);
        __atomic_store_n(&list_known.types[i], list.types[i], __ATOMIC_RELAXED);
    }
    __atomic_store_n(&list_known.count, count, __ATOMIC_RELAXED);
    __atomic_store_n(&devices_known_count, count, __ATOMIC_RELEASE);
    return CL_SUCCESS;
}

static int32_t native_clGetDeviceIDs(uintptr_t asked, uint64_t device_type, uint32_t num_entries, uintptr_t *devices,
                                     uint32_t *num_devices) {
    enum { DEFAULT = 1, KNOWN = 0x1f };
    const uint64_t all = 0xffffffff;
    if (asked && asked != (uintptr_t)&platform) return CL_INVALID_PLATFORM;
    if ((devices && !num_entries) || (!devices && !num_devices)) return CL_INVALID_VALUE;
    if (device_type != all && (!device_type || device_type & ~(uint64_t)KNOWN)) return CL_INVALID_DEVICE_TYPE;
    int32_t code = devices ? know_devices(all) : CL_SUCCESS;
    struct device_list list;
    uint32_t count = 0;
    if (!code) code = find_devices(&list);
    if (code) return code;
    for (uint32_t i = 0; i < list.count; i++) {
        /* The default device is the first. */
        if (!(device_type & list.types[i]) && !(i == 0 && device_type & DEFAULT)) continue;
        if (devices && count < num_entries) devices[count] = __atomic_load_n(&devices_known[i], __ATOMIC_RELAXED);
        count++;
    }
    if (num_devices && count) *num_devices = count;
    return count ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

/* ---- entries that need no Python ------------------------------------------------------------------ */

__attribute__((constructor)) static void fill_dispatch(void) {
    memcpy(dispatch, start_entries, sizeof dispatch);
    list_devices = dispatch[AT_clGetDeviceIDs];
    dispatch[AT_clGetDeviceIDs] = (void *)native_clGetDeviceIDs;
}

static int32_t native_clGetPlatformIDs(uint32_t num_entries, uintptr_t *platforms, uint32_t *num_platforms) {
    if ((platforms && !num_entries) || (!platforms && !num_platforms)) return CL_INVALID_VALUE;
    if (platforms) platforms[0] = (uintptr_t)&platform;
    if (num_platforms) *num_platforms = 1;
    return CL_SUCCESS;
}

struct name_version {
    uint32_t version;
    char name[64];
};

static int32_t native_clGetPlatformInfo(uintptr_t asked, uint32_t param_name, size_t param_value_size,
                                        uintptr_t param_value, size_t *param_value_size_ret) {
    static const uint64_t timer = WEFT_PLATFORM_TIMER;
    static const uint32_t version = WEFT_PLATFORM_NUMERIC_VERSION;
    static const struct name_version extensions[] = WEFT_PLATFORM_EXTENSION_VERSIONS;
    const void *value;
    size_t size;
    if (asked && asked != (uintptr_t)&platform) return CL_INVALID_PLATFORM;
#define ANSWER(number, constant) case number: value = constant; size = sizeof constant; break;
    switch (param_name) {
        ANSWER(0x0900, WEFT_PLATFORM_PROFILE)
        ANSWER(0x0901, WEFT_PLATFORM_VERSION)
        ANSWER(0x0902, WEFT_PLATFORM_NAME)
        ANSWER(0x0903, WEFT_PLATFORM_VENDOR)
        ANSWER(0x0904, WEFT_PLATFORM_EXTENSIONS)
        case 0x0905: value = &timer; size = sizeof timer; break;
        case 0x0906: value = &version; size = sizeof version; break;
        ANSWER(0x0907, extensions)
        ANSWER(0x0920, WEFT_PLATFORM_SUFFIX)
        default: return CL_INVALID_VALUE;
    }
#undef ANSWER
    if (param_value && param_value_size < size) return CL_INVALID_VALUE;
    if (param_value) memcpy((void *)param_value, value, size);
    if (param_value_size_ret) *param_value_size_ret = size;
    return CL_SUCCESS;
}

EXPORT int32_t clIcdGetPlatformIDsKHR(uint32_t num_entries, uintptr_t *platforms, uint32_t *num_platforms) {
    return native_clGetPlatformIDs(num_entries, platforms, num_platforms);
}

/* Returns `start_*` functions, which call what the table holds at the time of the call. */
static uintptr_t native_clGetExtensionFunctionAddress(const char *function_name) {
    if (!function_name) return 0;
    if (!strcmp(function_name, "clIcdGetPlatformIDsKHR")) return (uintptr_t)native_clGetPlatformIDs;
    for (int i = 0; i < WEFT_ENTRIES; i++)
        if (entry_names[i] && !strcmp(function_name, entry_names[i]))
            return (uintptr_t)(i == AT_clGetDeviceIDs ? dispatch[i] : start_entries[i]);
    for (size_t i = 0; i < sizeof entry_aliases / sizeof *entry_aliases; i++)
        if (!strcmp(function_name, entry_aliases[i].name)) return (uintptr_t)start_entries[entry_aliases[i].index];
    return 0;
}

static uintptr_t native_clGetExtensionFunctionAddressForPlatform(uintptr_t asked, const char *function_name) {
    return asked == (uintptr_t)&platform ? native_clGetExtensionFunctionAddress(function_name) : 0;
}

EXPORT int32_t clGetPlatformInfo(uintptr_t asked, uint32_t param_name, size_t size, uintptr_t value, size_t *ret) {
    return native_clGetPlatformInfo(asked, param_name, size, value, ret);
}

EXPORT uintptr_t clGetExtensionFunctionAddress(const char *function_name) {
    return native_clGetExtensionFunctionAddress(function_name);
}
