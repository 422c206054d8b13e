"""Put the Python entry points into the dispatch table of the shared object, which imports this module.

After `attach`, the loader calls the Python functions directly. When the interpreter shuts down, the table is
switched to C functions, which serve late callers from a snapshot.
"""

import _thread
import atexit
import ctypes
import os
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from weft import profile, settings
from weft.api import handles, hot, registry, snapshot
from weft.api.deferred import prepare_deferred
from weft.api.interrupts import pass_on, raise_again_with
from weft.faults import Fault, interrupt_in, report
from weft.garbage import own_interpreter
from weft.icd._driver import ffi, lib
from weft.icd.prototypes import FRONTED, NEEDS_COMPILER, Prototype, prototypes, python_prototypes
from weft.locks import new_reentrant_lock
from weft.runtime.codes import CL_INVALID_OPERATION, CL_OUT_OF_RESOURCES
from weft.runtime.hot import hold_functions, raised
from weft.runtime.hot import lib as runtime_hot
from weft.runtime.platform import the_platform
from weft.threads import watch

_REVISION = 3  # of struct weft_shim

_lock = new_reentrant_lock()
_shims: list[Any] = []
_kept: list[Any] = []  # callbacks that C may call until the process ends


def attach(address: int) -> None:
    """Serve the shared object whose `struct weft_shim` is at `address`; a second call has no effect."""
    shim = ffi.cast("struct weft_shim *", address)
    with _lock:
        if shim in _shims:
            return
        if shim.revision != _REVISION or shim.count != len(prototypes()):
            raise ImportError("the loaded shared object belongs to another version of Weft")
        if not _shims:
            _define_entries()
            raise_again_with(_raise_again)
            lib.weft_hold_with(*hold_functions())
            lib.weft_defer_with(hot.pending_function(), shim.is_embedded)
            watch(lib.weft_enter_thread, lib.weft_leave_thread)
            _count_threads(0, threading.main_thread().ident or 0)
            os.register_at_fork(after_in_child=lambda: _count_threads(_thread._count(), _thread.get_ident()))
            hot.listen(start=not shim.is_embedded)
            if not shim.is_embedded:
                handles.on_publish(hot.publish)
            handles.set_dispatch(int(ffi.cast("uintptr_t", shim.dispatch)))
            atexit.register(_end)
            if settings.get("WEFT_PROFILE_FILE"):
                _write_profile_at_exit()
            if shim.is_embedded:
                own_interpreter()
            handles.adopt(the_platform(), shim.platform)
        handles.live[shim.platform] = the_platform()
        for prototype in python_prototypes():
            index = prototype.index
            served = prototype.name in registry.ENTRIES
            entry = lib.weft_entry(index) if served else shim.missing[index]
            if prototype.name in FRONTED:
                shim.list_devices[0] = entry
            else:
                shim.dispatch[index] = entry
        entrances = {p.name: lib.weft_entry(p.index) for p in python_prototypes()}
        callbacks = {name: getattr(lib, f"weft_{name}")() for name in hot.CALLBACKS}
        native = hot.install(entrances, callbacks)
        for prototype in python_prototypes():
            if prototype.name in native:
                shim.dispatch[prototype.index] = native[prototype.name]
        _shims.append(shim)


def _count_threads(own: int, main: int) -> None:
    """Tell C how many threads that Python counts are not the client's, and which thread is the main thread.

    `own`: in the child of a fork, the number of threads of the parent, which Python still counts.
    """
    lib.weft_count_with(id(_thread._count), own, main)


_raising: list[type[BaseException]] = []  # keeps a class alive until it is raised


def _raise_again(kind: type[BaseException] | None) -> None:
    """Make C raise `kind` in the program, or interrupt it, when the call has left Weft's Python code."""
    if kind is not None:
        _raising[:] = [kind]
    lib.weft_raise_again(0 if kind is None else id(kind))


def _raised_before(error: int) -> None:
    """Note an exception that a signal handler raised just before a call, which was made nevertheless."""
    registry.interrupted(ctypes.cast(error, ctypes.py_object).value, waiting=True)


def _interrupted() -> int:
    """Return the error code of a wait that a signal handler has ended."""
    return registry.interrupted(raised(), waiting=True)


def _write_profile_at_exit() -> None:
    """Write the profile when the process exits, also if Weft has launched Python.

    Python never shuts down then, so its exit handlers are not called.
    """
    write = ffi.callback("void(void)", profile.write, onerror=_escaped)
    _kept.append(write)
    runtime_hot.weft_hot_at_exit(int(ffi.cast("uintptr_t", write)))
    atexit.register(runtime_hot.weft_hot_at_exit, 0)


def _define_entries() -> None:
    """Bind each Python entry to its C function."""
    ffi.def_extern(name="python_interrupted", error=CL_INVALID_OPERATION, onerror=_escaped)(_interrupted)
    ffi.def_extern(name="python_raised_before", onerror=_escaped)(_raised_before)
    ffi.def_extern(name="python_carry_out", onerror=_escaped)(hot.carry_out)
    ffi.def_extern(name="python_prepare", onerror=_escaped)(prepare_deferred)
    entries = registry.load()
    watched = [p for p in python_prototypes() if p.name in NEEDS_COMPILER and p.name in entries]
    for prototype in python_prototypes():
        if prototype in watched:
            _define(prototype, partial(_call_and_guard, watched, entries[prototype.name]))
        elif prototype.name in entries:
            _define(prototype, entries[prototype.name])


def _define(prototype: Prototype, function: Callable[..., int]) -> None:
    """Make the C function of `prototype` call `function`."""
    name = f"python_{prototype.name}"
    if prototype.returns == "void":
        ffi.def_extern(name=name, onerror=_escaped)(partial(_without_result, function))
        return
    # The client gets this code, or NULL, if an exception escapes from an entry.
    error = CL_OUT_OF_RESOURCES if prototype.returns == "cl_int" else 0
    ffi.def_extern(name=name, error=error, onerror=_escaped)(function)


def _escaped(_kind: object, error: BaseException, _trace: object) -> None:
    """Handle an exception outside the frame of an entry: it was interrupted in its first step."""
    interrupt = interrupt_in(error)
    if interrupt is not None:
        pass_on(interrupt)
    else:
        report("a call of OpenCL failed", Fault.of(error))


def _without_result(function: Callable[..., int], *arguments: Any) -> None:
    function(*arguments)


def _call_and_guard(watched: list[Prototype], function: Callable[..., int], *arguments: Any) -> int:
    """Call an entry that may load LLVM; once it has, renew the exit guard and bind the entries directly."""
    result = function(*arguments)
    if watched and _has_llvm():
        with _lock:
            for prototype in watched:
                _define(prototype, registry.ENTRIES[prototype.name])
            watched.clear()
            for shim in _shims:
                shim.guard_compiler()
    return result


def _has_llvm() -> bool:
    """Return whether LLVM's library is loaded."""
    ours = sys.modules.get("weft.codegen.llvm_library")
    return "llvmlite.binding" in sys.modules or (ours is not None and ours.is_loaded())


def _end() -> None:
    """Shut down: stop commands (`snapshot.take`), and make C answer all later calls."""
    lib.weft_enter_thread()  # objects released by the garbage collector from now on are not deleted
    try:
        runtime_hot.weft_hot_end_deferred()
        kept = snapshot.take({p.name: p.index for p in prototypes()})
        for shim in _shims:
            shim.keep(
                kept.objects,
                kept.object_count,
                kept.answers,
                kept.answer_count,
                kept.values,
                len(kept.values),
            )
    finally:  # even if a signal handler raises an exception
        for shim in _shims:
            shim.end()
