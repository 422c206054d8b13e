/* The shared object that OpenCL loaders open. It answers for the platform in C and starts Python at the
   first call that needs it; the driver module then puts Python functions into the dispatch table.

   It is not linked with libpython and needs no header of it: in a Python process the functions are found
   there, in any other the interpreter that Weft was installed for is loaded.

   Locks. A thread of a Python process may come here with the interpreter's lock (GIL) held, so no lock of
   this file is held while waiting for the GIL. `launching` serves only where no Python runs yet, so nobody
   can hold the GIL and wait for it; what follows is done under the GIL alone, by Python code that may run
   in several threads. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "locate.h"
#include "weft_entries.h"

#define EXPORT __attribute__((visibility("default")))

enum { CL_SUCCESS = 0, CL_INVALID_VALUE = -30, CL_INVALID_PLATFORM = -32 };

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
    F(void, PyErr_Fetch, (PyObject **, PyObject **, PyObject **)) \
    F(void, PyErr_Restore, (PyObject *, PyObject *, PyObject *)) \
    F(void, PyErr_Clear, (void)) \
    F(void, PyErr_Print, (void)) \
    F(void, Py_DecRef, (PyObject *))

struct python {
#define F(result, name, parameters) result (*name) parameters;
    PYTHON_FUNCTIONS(F)
#undef F
};

static void *dispatch[WEFT_ENTRIES];
static struct { void **dispatch; } platform = {dispatch};

static pthread_mutex_t launching = PTHREAD_MUTEX_INITIALIZER;
static int in_launch;           /* Python exists but is not ready: wait for `launching` */
static int refused;             /* Python cannot be had, or has ended: never try again */
static struct python embedded;  /* set once when this file launched Python; for the fork handlers */

static void complain(const char *what, const char *detail) {
    static int complained;
    if (!__atomic_exchange_n(&complained, 1, __ATOMIC_RELAXED)) fprintf(stderr, "weft: %s%s\n", what, detail);
}

/* ---- the end -------------------------------------------------------------------------------------- */

static void end(int all_stopped) {
    __atomic_store_n(&refused, 1, __ATOMIC_SEQ_CST);
    weft_all_stopped = all_stopped;
    for (int i = 0; i < WEFT_ENTRIES; i++) __atomic_store_n(&dispatch[i], ended_entries[i], __ATOMIC_RELEASE);
}

/* Commands may still run: whoever waits for them now is told that it failed. */
static void end_at_exit(void) { end(0); }

/* Handlers run in reverse order of registration and the destructors of libraries among them. The driver
   calls this again when LLVM has been loaded, so that no call reaches LLVM after its destructors. */
static void guard_exit(void) { atexit(end_at_exit); }

/* ---- fork in a process that is not Python's ------------------------------------------------------- */

static __thread int fork_gil = -1;  /* PyGILState_STATE of the forking thread; -1: Python forks itself */

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

/* ---- the start ------------------------------------------------------------------------------------ */

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

/* Starts an interpreter in a process that has none; called with `launching` held. */
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
    /* Python sets the locale of characters for the process; the program's own choice comes back after. */
    const char *current = setlocale(LC_CTYPE, NULL);
    char *ctype = current ? strdup(current) : NULL;
    if (*location->program) python->Py_SetProgramName(python->Py_DecodeLocale(location->program, NULL));
    python->Py_InitializeEx(0); /* 0: the program's signal handlers stay */
    python->PyEval_SaveThread();
    if (ctype) setlocale(LC_CTYPE, ctype);
    free(ctype);
    embedded = *python;
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
    guard_exit();
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

/* Makes `weft` and what it needs importable in an interpreter that was not started for it. */
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
    void (*end)(int);
    void (*guard_exit)(void);
} shim = {1, WEFT_ENTRIES, dispatch, missing_entries, &platform, end, guard_exit};

/* Imports the driver, which fills the dispatch table; called with the GIL held, perhaps by several threads. */
static int attach(struct python *python, const struct weft_location *location) {
    PyObject *package = python->PyImport_ImportModule("weft");
    if (!package) {
        python->PyErr_Clear();
        if (!add_site(python, location)) return 0;
    } else {
        python->Py_DecRef(package);
    }
    PyObject *driver = python->PyImport_ImportModule("weft.icd.driver");
    PyObject *done = driver ? python->PyObject_CallMethod(driver, "attach", "K",
                                                          (unsigned long long)(uintptr_t)&shim) : NULL;
    if (driver) python->Py_DecRef(driver);
    if (done) {
        python->Py_DecRef(done);
        return 1;
    }
    complain("the driver cannot start in Python; ", "the reason follows");
    python->PyErr_Print();
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
        python.PyErr_Restore(type, value, traceback);
        python.PyGILState_Release(gil);
    }
    free(location);
    return attached;
}

static void *weft_entry_after_start(int index) {
    void *entry = __atomic_load_n(&dispatch[index], __ATOMIC_ACQUIRE);
    if (entry != start_entries[index]) return entry;
    if (!__atomic_load_n(&refused, __ATOMIC_SEQ_CST) && !start()) __atomic_store_n(&refused, 1, __ATOMIC_SEQ_CST);
    entry = __atomic_load_n(&dispatch[index], __ATOMIC_ACQUIRE);
    return entry != start_entries[index] ? entry : ended_entries[index];
}

/* ---- entries that need no Python ------------------------------------------------------------------ */

__attribute__((constructor)) static void fill_dispatch(void) {
    memcpy(dispatch, start_entries, sizeof dispatch);
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

/* Functions are given out as `start_*`, which lead to what the table holds at the time of the call. */
static uintptr_t native_clGetExtensionFunctionAddress(const char *function_name) {
    if (!function_name) return 0;
    if (!strcmp(function_name, "clIcdGetPlatformIDsKHR")) return (uintptr_t)native_clGetPlatformIDs;
    for (int i = 0; i < WEFT_ENTRIES; i++)
        if (entry_names[i] && !strcmp(function_name, entry_names[i])) return (uintptr_t)start_entries[i];
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
