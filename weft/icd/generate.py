"""Generate the C code of the dispatch table from prototypes.py and the platform's identity, at build time.

Three families of C functions share the signatures of the table:

- `start_*` starts Python and forwards the call: the initial content of the dispatch table;
- `missing_*` returns CL_INVALID_OPERATION: entry points without a Python function;
- `ended_*` handles calls when Python cannot run (any more). Releases, retains, unmaps and waits succeed,
  because no command can be running any more and clients call them during clean-up. Queries are answered from
  the snapshot (`native/ended.h`); all other calls fail.

`enter_*` (in the driver module) calls a Python entry point. It presets `errcode_ret` with an error, so that a
failure cannot leave the code undefined. It saves an exception that is pending in the calling thread: a client
written as a Python extension may release its objects while it raises one. It also defers signal handlers
until the end of the call.
"""

import re
from collections.abc import Iterable

from weft import settings
from weft.icd.prototypes import (
    EXTENSIONS_START,
    FRONTED,
    NATIVE,
    NEEDS_COMPILER,
    Prototype,
    prototypes,
    python_prototypes,
)
from weft.runtime import identity
from weft.runtime.codes import (
    CL_DEVICE_NOT_FOUND,
    CL_INVALID_COMMAND_BUFFER_KHR,
    CL_INVALID_COMMAND_QUEUE,
    CL_INVALID_CONTEXT,
    CL_INVALID_DEVICE,
    CL_INVALID_EVENT,
    CL_INVALID_KERNEL,
    CL_INVALID_MEM_OBJECT,
    CL_INVALID_MUTABLE_COMMAND_KHR,
    CL_INVALID_OPERATION,
    CL_INVALID_PROGRAM,
    CL_INVALID_SAMPLER,
    CL_OUT_OF_RESOURCES,
    CL_SUCCESS,
)

# Names ending in KHR or EXT for which clGetExtensionFunctionAddress returns a function: those of supported
# extensions.
OFFERED_EXTENSION_FUNCTIONS = frozenset(p.name for p in prototypes() if p.index >= EXTENSIONS_START)

# Names of extensions for functions that have become part of OpenCL.
ALIASES = {
    "clCreateProgramWithILKHR": "clCreateProgramWithIL",
    "clCreateCommandQueueWithPropertiesKHR": "clCreateCommandQueueWithProperties",
    "clGetKernelSuggestedLocalWorkSizeKHR": "clGetKernelSuggestedLocalWorkSize",
}


# Slots of the table that shim.c accesses by name.
_NAMED_SLOTS = {"clGetDeviceIDs", "clGetSupportedImageFormats", *NEEDS_COMPILER}


def _arguments(prototype: Prototype) -> str:
    return ", ".join(p.name for p in prototype.parameters)


def _refusal(prototype: Prototype, family: str, code: int | str) -> str:
    """Return a function that only reports `code`."""
    unused = "".join(f" (void){p.name};" for p in prototype.parameters)
    if prototype.returns == "cl_int":
        action = f"return {code};"
    elif prototype.returns == "void":
        action = ""
    elif prototype.reports_through_pointer:
        action = f"if (errcode_ret) *errcode_ret = {code}; return 0;"
    else:
        action = "return 0;"
    return f"static {prototype.declaration(f'{family}_{prototype.name}')} {{{unused} {action} }}"


# Enqueue functions that succeed without a command: nothing runs any more, and memory is always mapped.
_OVER_AT_ONCE = {
    "clEnqueueSVMFree",
    "clEnqueueSVMUnmap",
    "clEnqueueUnmapMemObject",
    "clEnqueueMarker",
    "clEnqueueMarkerWithWaitList",
    "clEnqueueBarrier",
    "clEnqueueBarrierWithWaitList",
    "clEnqueueWaitForEvents",
}
_SUCCEEDS = {
    "clMemBlockingFreeINTEL",
    "clMemFreeINTEL",
    "clFinish",
    "clFlush",
    "clWaitForEvents",
    "clSetUserEventStatus",
    "clUnloadCompiler",
    "clUnloadPlatformCompiler",
}
_WRITTEN_OUT = {"clGetSupportedImageFormats", "clGetHostTimer", "clGetDeviceAndHostTimer"}  # in shim.c
_INVALID_HANDLES = {
    "cl_device_id": CL_INVALID_DEVICE,
    "cl_context": CL_INVALID_CONTEXT,
    "cl_command_queue": CL_INVALID_COMMAND_QUEUE,
    "cl_mem": CL_INVALID_MEM_OBJECT,
    "cl_sampler": CL_INVALID_SAMPLER,
    "cl_program": CL_INVALID_PROGRAM,
    "cl_kernel": CL_INVALID_KERNEL,
    "cl_event": CL_INVALID_EVENT,
    "cl_command_buffer_khr": CL_INVALID_COMMAND_BUFFER_KHR,
    "cl_mutable_command_khr": CL_INVALID_MUTABLE_COMMAND_KHR,
}


def is_query(prototype: Prototype) -> bool:
    """Whether a function is a clGet*Info query on an object."""
    names = [p.name for p in prototype.parameters]
    return (
        names[-4:] == ["param_name", "param_value_size", "param_value", "param_value_size_ret"]
        and prototype.parameters[0].type in _INVALID_HANDLES
        and not _is_foreign_extension(prototype.name)
    )


def _ended(prototype: Prototype) -> str:
    """Return the function that replaces an entry when Python has shut down."""
    name, names = prototype.name, [p.name for p in prototype.parameters]
    if name in _WRITTEN_OUT:
        return f"static {prototype.declaration(f'ended_{name}')};"
    if is_query(prototype):
        about = names[1] if len(names) == 6 else "0"
        invalid = _INVALID_HANDLES[prototype.parameters[0].type]
        arguments = f"{prototype.index}, {names[0]}, {about}, {', '.join(names[-4:])}, {invalid}"
        return _function(prototype, f"return weft_ended_query({arguments});")
    if counted := re.fullmatch(r"cl(Retain|Release)\w+", name):
        by = 1 if counted[1] == "Retain" else -1
        return _function(prototype, f"weft_ended_count({names[0]}, {by}); return {CL_SUCCESS};")
    if name in _OVER_AT_ONCE:
        free = f"if (pfn_free_func) ended_free(pfn_free_func, {', '.join((*names[:3], 'user_data'))}); "
        event = "if (event) *event = weft_ended_event(dispatch); "
        body = (free if name == "clEnqueueSVMFree" else "") + (event if "event" in names else "")
        return _function(prototype, f"{body}return {CL_SUCCESS};")
    if name in _SUCCEEDS:
        return _refusal(prototype, "ended", CL_SUCCESS)
    return _refusal(
        prototype, "ended", CL_DEVICE_NOT_FOUND if name == "clGetDeviceIDs" else CL_OUT_OF_RESOURCES
    )


def _function(prototype: Prototype, body: str) -> str:
    """Return the `ended_*` function of an entry with this body, which may leave parameters unused."""
    unused = "".join(f" (void){p.name};" for p in prototype.parameters)
    return f"static {prototype.declaration(f'ended_{prototype.name}')} {{{unused} {body} }}"


def _starter(prototype: Prototype) -> str:
    """Return a function that starts Python and then calls the entry that the dispatch table has by then."""
    name, index = prototype.name, prototype.index
    pointer = prototype.declaration("(*next)")
    result = "" if prototype.returns == "void" else "return "
    return (
        f"static {prototype.declaration(f'start_{name}')} {{\n"
        f"    {pointer} = weft_entry_after_start({index});\n"
        f"    {result}next({_arguments(prototype)});\n}}"
    )


def _array(family: str) -> str:
    """Return the functions of one family in the order of the table; native entries are the same in all."""
    slots = []
    for prototype in prototypes():
        if not prototype.returns:
            slots.append("0")
        elif prototype.name in NATIVE:
            slots.append(f"(void *)native_{prototype.name}")
        else:
            slots.append(f"(void *){family}_{prototype.name}")
    return f"static void *const {family}_entries[WEFT_ENTRIES] = {{\n    " + ",\n    ".join(slots) + "\n};"


_CPU, _ACCELERATOR = 1 << 1, 1 << 3  # CL_DEVICE_TYPE_*


def _text(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _identity() -> Iterable[str]:
    yield f"#define WEFT_PLATFORM_PROFILE {_text(identity.PROFILE)}"
    yield f"#define WEFT_PLATFORM_VERSION {_text(identity.VERSION)}"
    yield f"#define WEFT_PLATFORM_NAME {_text(identity.NAME)}"
    yield f"#define WEFT_PLATFORM_VENDOR {_text(identity.VENDOR)}"
    yield f"#define WEFT_PLATFORM_EXTENSIONS {_text(' '.join(identity.EXTENSIONS))}"
    yield f"#define WEFT_PLATFORM_SUFFIX {_text(identity.ICD_SUFFIX)}"
    yield f"#define WEFT_PLATFORM_TIMER UINT64_C({identity.HOST_TIMER_RESOLUTION})"
    yield f"#define WEFT_PLATFORM_NUMERIC_VERSION UINT32_C({identity.NUMERIC_VERSION})"
    versions = ", ".join(f"{{{version}, {_text(name)}}}" for name, version in identity.EXTENSION_VERSIONS)
    yield f"#define WEFT_PLATFORM_EXTENSION_VERSIONS {{{versions}}}"
    # Decided by the C compiler, because the build may be for another machine.
    yield "#if defined(__x86_64__)"
    yield from _devices(identity.KINDS_ON_X86)
    yield "#else"
    yield from _devices(identity.KINDS_ELSEWHERE)
    yield "#endif"
    yield f"#define WEFT_DEFAULT_PATH {_text(identity.PROGRAM_PATH)}"
    yield f"#define WEFT_DEFAULT_DEVICES {_text(settings.SETTINGS['WEFT_DEVICES'].default)}"


def _devices(kinds: tuple[str, ...]) -> Iterable[str]:
    yield f"#define WEFT_DEVICE_KINDS {', '.join(map(_text, kinds))}"
    types = (_ACCELERATOR if kind in identity.ACCELERATORS else _CPU for kind in kinds)
    yield f"#define WEFT_DEVICE_TYPES {', '.join(map(str, types))}"
    programs = (identity.DEVICE_PROGRAMS.get(kind, "") for kind in kinds)
    yield f"#define WEFT_DEVICE_PROGRAMS {', '.join(map(_text, programs))}"


def shim_header() -> str:
    """Return the header that shim.c includes: identity, families, the table's names."""
    lines = [
        "/* Generated from prototypes.py and identity.py. */",
        f"#define WEFT_ENTRIES {len(prototypes())}",
        *_identity(),
    ]
    lines += [
        f"static {p.declaration(f'native_{p.name}')};" for p in prototypes() if p.name in NATIVE | FRONTED
    ]
    lines += ["static void *weft_entry_after_start(int index);", "static void *dispatch[WEFT_ENTRIES];"]
    lines.append("static void ended_free(uintptr_t, uintptr_t, uint32_t, const uintptr_t *, uintptr_t);")
    lines += [f"enum {{ AT_{p.name} = {p.index} }};" for p in prototypes() if p.name in _NAMED_SLOTS]
    for prototype in python_prototypes():
        lines.append(_starter(prototype))
        lines.append(_refusal(prototype, "missing", CL_INVALID_OPERATION))
        lines.append(_ended(prototype))
    lines += [_array(family) for family in ("start", "missing", "ended")]
    lines.append(
        f"static const int needs_compiler[] = {{{', '.join(f'AT_{name}' for name in NEEDS_COMPILER)}}};"
    )
    given = [_text(p.name) if p.returns and not _is_foreign_extension(p.name) else "0" for p in prototypes()]
    lines.append("static const char *const entry_names[WEFT_ENTRIES] = {" + ", ".join(given) + "};")
    slots = {p.name: p.index for p in prototypes()}
    aliases = ", ".join(f"{{{_text(alias)}, {slots[name]}}}" for alias, name in ALIASES.items())
    lines.append(f"static const struct {{ const char *name; int index; }} entry_aliases[] = {{{aliases}}};")
    return "\n".join(lines) + "\n"


def _is_foreign_extension(name: str) -> bool:
    """Whether `name` belongs to an extension, or to GL sharing, that Weft does not offer."""
    belongs = name.endswith(("KHR", "EXT")) or "GL" in name
    return belongs and name not in OFFERED_EXTENSION_FUNCTIONS


SHIM_STRUCTURE = """
struct weft_shim {
    uint32_t revision, count;
    uintptr_t *dispatch;
    const uintptr_t *missing;
    uintptr_t platform;
    uintptr_t *list_devices;
    void (*keep)(const void *objects, size_t object_count, const void *answers, size_t answer_count,
                 const void *bytes, size_t size);
    void (*end)(void);
    void (*guard_compiler)(void);
    int is_embedded; /* the shared object has launched Python, so no client holds the GIL */
};
"""


def _entrance(prototype: Prototype) -> str:
    """Return the C function that the dispatch table holds for a Python entry."""
    preset = f"    if (errcode_ret) *errcode_ret = {CL_OUT_OF_RESOURCES};\n"
    result = prototype.returns != "void"
    return (
        f"static {prototype.declaration(f'enter_{prototype.name}')} {{\n"
        f"{preset if prototype.reports_through_pointer else ''}"
        "    struct weft_call call;\n"
        "    weft_enter(&call);\n"
        f"    {f'{prototype.c_returns} result = ' if result else ''}"
        f"python_{prototype.name}({_arguments(prototype)});\n"
        "    weft_leave(&call);\n"
        f"{'    return result;' if result else ''}\n}}"
    )


def driver_cdef() -> str:
    """Return the cffi declarations of the driver module."""
    entries = "".join(f"    {p.declaration(f'python_{p.name}')};\n" for p in python_prototypes())
    return (
        f"{SHIM_STRUCTURE}\nuintptr_t weft_entry(int index);\nuintptr_t weft_interrupted(void);\n"
        "uintptr_t weft_may_enter(void);\nuintptr_t weft_carry_out(void);\nuintptr_t weft_prepare(void);\n"
        "uintptr_t weft_release_gil(void);\nuintptr_t weft_reacquire_gil(void);\n"
        "uintptr_t weft_within(void);\nvoid weft_enter_thread(void);\nvoid weft_leave_thread(void);\n"
        "uintptr_t weft_is_alone(void);\n"
        "void weft_count_with(uintptr_t function, long own, uintptr_t main);\n"
        "void weft_defer_with(uintptr_t pending, int is_embedded);\n"
        "void weft_hold_with(uintptr_t hold, uintptr_t release);\nvoid weft_raise_again(uintptr_t kind);\n"
        f'extern "Python" {{\n{entries}    int32_t python_interrupted(void);\n'
        "    void python_raised_before(uintptr_t error);\n    void python_carry_out(void);\n"
        "    void python_prepare(void);\n}\n"
    )


# C code around each call of a Python entry, and the callbacks of `hot.h`.
_CALL = """
struct weft_call {
    int holds, gil; /* signals are held; the state of PyGILState_Ensure */
    PyObject *type, *value, *traceback; /* the exception that is pending in the calling thread */
    PyObject *raised; /* the exception of a signal handler that ran just before the call */
};

static int (*weft_hold)(void); /* weft_signals_hold of weft/device: defers signals in the main thread */
static void (*weft_release)(void);
static __thread int weft_raising; /* after the call: raise this class, or, if it is 0, interrupt Python */
static __thread uintptr_t weft_raised_class;

static void weft_hold_with(uintptr_t hold, uintptr_t release) {
    weft_release = (void (*)(void))release;
    weft_hold = (int (*)(void))hold;
}

static void weft_raise_again(uintptr_t kind) {
    weft_raised_class = kind;
    weft_raising = 1;
}

static void python_raised_before(uintptr_t error);

static int (*weft_pending)(void); /* weft_hot_pending of weft/runtime: threads have left work to Python */
static int weft_is_embedded;      /* Weft has launched Python: only its own calls hold the GIL */
static void python_carry_out(void);

static void weft_defer_with(uintptr_t pending, int is_embedded) {
    weft_is_embedded = is_embedded;
    weft_pending = (int (*)(void))pending;
}

/* PyGILState_Check would be true for all threads of a program that has created a subinterpreter. */
static int holds_gil(void) {
    PyThreadState *(*get)(void) = PyThreadState_GetUnchecked;
    if (!get) get = _PyThreadState_UncheckedGet;
    if (!get) return PyGILState_Check();
    PyThreadState *current = get();
    return current && current == PyGILState_GetThisThreadState();
}

static int weft_enters_at_once(void) { return weft_is_embedded || holds_gil(); }
static uintptr_t weft_may_enter(void) { return (uintptr_t)weft_enters_at_once; }

/* The number of threads that run Python besides the main thread, and how many of them are Weft's. While a
 * thread of Weft starts or ends, it counts as one of the client's for a moment. */
static PyObject *weft_count_threads; /* _thread._count, which is in C, so no other thread runs meanwhile */
static _Atomic long weft_own_threads;

static uintptr_t weft_main_thread;

/* `own` is not 0 in the child of a fork, because Python still counts the threads of the parent. */
static void weft_count_with(uintptr_t function, long own, uintptr_t main) {
    weft_count_threads = (PyObject *)function;
    weft_own_threads = own;
    weft_main_thread = main;
}

static long count_threads(void) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *count = PyObject_CallObject(weft_count_threads, NULL);
    long threads = count ? PyLong_AsLong(count) : LONG_MAX;
    if (count) Py_DECREF(count);
    PyErr_Restore(type, value, traceback);
    return threads;
}


/* Whether the call can run in Python without another thread of the client taking the GIL in between. Such a
 * thread might keep the GIL while it waits for a lock that the client holds around this call. For all threads
 * but the main thread, the main thread is one, also for a thread of Weft that calls a callback. */
static int weft_enters_alone(void) {
    if (weft_is_embedded) return 1;
    int is_main = (uintptr_t)pthread_self() == weft_main_thread;
    return is_main && holds_gil() && count_threads() <= weft_own_threads;
}
static uintptr_t weft_is_alone(void) { return (uintptr_t)weft_enters_alone; }

/* The nesting depth of calls of this thread; a thread of Weft is always in a call. Within a call, Python's
 * garbage collector may release objects of the client while Weft holds a lock. Therefore work that is left to
 * Python is done only at the start and end of outermost calls, and by the notification thread. */
static __thread int weft_depth;
static int weft_is_within(void) { return weft_depth > 0; }
static uintptr_t weft_within(void) { return (uintptr_t)weft_is_within; }
static void weft_enter_thread(void) {
    weft_depth++;
    weft_own_threads++;
}
static void weft_leave_thread(void) { weft_own_threads--; }

static void weft_carry_out_here(void) {
    if (__builtin_expect(weft_pending && weft_pending() && weft_depth == 1, 0)) python_carry_out();
}

static void weft_enter(struct weft_call *call) {
    weft_depth++;
    call->type = call->raised = NULL;
    call->holds = weft_hold && weft_hold();
    if (call->holds) call->gil = PyGILState_Ensure();
    if ((call->holds || holds_gil()) && PyErr_Occurred())
        PyErr_Fetch(&call->type, &call->value, &call->traceback);
    /* Run handlers of signals that arrived before the call; otherwise they would interrupt it. */
    if (call->holds && __builtin_expect(PyErr_CheckSignals() != 0, 0)) {
        PyObject *type, *traceback;
        PyErr_Fetch(&type, &call->raised, &traceback);
        PyErr_NormalizeException(&type, &call->raised, &traceback);
        Py_XDECREF(type);
        Py_XDECREF(traceback);
    }
    weft_carry_out_here();
}

static void weft_leave(struct weft_call *call) {
    enum { INTERRUPT = 2 };
    weft_carry_out_here();
    weft_depth--;
    if (__builtin_expect(call->raised != NULL, 0)) {
        python_raised_before((uintptr_t)call->raised);
        Py_DECREF(call->raised);
    }
    if (__builtin_expect(call->type != NULL, 0)) PyErr_Restore(call->type, call->value, call->traceback);
    if (call->holds) {
        PyGILState_Release(call->gil);
        weft_release();
    }
    if (__builtin_expect(!weft_raising, 1)) return;
    weft_raising = 0;
    if (!weft_raised_class) {
        PyErr_SetInterruptEx(INTERRUPT);
        return;
    }
    int state = PyGILState_Ensure();
    PyThreadState_SetAsyncExc((unsigned long)pthread_self(), (PyObject *)weft_raised_class);
    PyGILState_Release(state);
}

static int32_t python_interrupted(void);
static int32_t enter_interrupted(void) {
    struct weft_call call;
    weft_enter(&call);
    int32_t code = python_interrupted();
    weft_leave(&call);
    return code;
}
static uintptr_t weft_interrupted(void) { return (uintptr_t)enter_interrupted; }

static void enter_carry_out(void) {
    struct weft_call call;
    weft_enter(&call);
    weft_leave(&call);
}
static uintptr_t weft_carry_out(void) { return (uintptr_t)enter_carry_out; }

static void python_prepare(void);
static void enter_prepare(void) {
    struct weft_call call;
    weft_enter(&call);
    python_prepare();
    weft_leave(&call);
}
static uintptr_t weft_prepare(void) { return (uintptr_t)enter_prepare; }

/* Release the GIL while a thread waits for commands, which may need Python before they can end. */
static void *release_gil(void) { return !weft_is_embedded && holds_gil() ? PyEval_SaveThread() : NULL; }
static void reacquire_gil(void *state) {
    if (state) PyEval_RestoreThread(state);
}
static uintptr_t weft_release_gil(void) { return (uintptr_t)release_gil; }
static uintptr_t weft_reacquire_gil(void) { return (uintptr_t)reacquire_gil; }
"""


def driver_source() -> str:
    """Return the C text of the driver module that precedes what cffi generates."""
    headers = ("limits", "pthread", "stdint", "stddef")
    lines = [*(f"#include <{name}.h>" for name in headers), SHIM_STRUCTURE, _CALL]
    table = ["0"] * len(prototypes())
    for prototype in python_prototypes():
        table[prototype.index] = f"(void *)enter_{prototype.name}"
        lines.append(f"static {prototype.declaration(f'python_{prototype.name}')};")
        lines.append(_entrance(prototype))
    lines.append("static void *const entries[] = {\n    " + ",\n    ".join(table) + "\n};")
    lines.append("static uintptr_t weft_entry(int index) { return (uintptr_t)entries[index]; }")
    return "\n".join(lines) + "\n"
