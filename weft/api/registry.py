"""The table of `cl*` entry points, and the wrapper that turns exceptions into error codes.

An entry in ENTRIES takes exactly the parameters of the C function, in order:

- handles (`cl_context`, `cl_mem`, …), `void *` and function pointers: the address as an int; a cffi pointer
  is accepted too;
- pointers to typed data (`const size_t *`, `cl_int *`, `const char **`, property lists): cffi pointers,
  possibly NULL; those to handles (`cl_event *`, `const cl_device_id *`, …) are of type `uintptr_t *`;
- numbers, sizes, flags and booleans: ints.

It returns an int: the error code, or the handle or address for functions that have `errcode_ret`.

Entries are written with one of three decorators. `@entry` is for functions that return a code: the body
raises CLError or returns nothing. `@creator` is for functions with a final `errcode_ret`: the body does not
get that parameter and returns a runtime object or an address. `@hot_entry` registers the function itself, for
the few calls where one more frame is measurable; such a function calls `failed` in its exception handler.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from weft import settings
from weft.api import handles
from weft.api.interrupts import pass_on, pass_on_at_once
from weft.errors import tell
from weft.faults import Fault, interrupt_in, is_verbose, lack_of_memory, report
from weft.runtime.codes import (
    CL_INVALID_OPERATION,
    CL_OUT_OF_HOST_MEMORY,
    CL_OUT_OF_RESOURCES,
    CL_SUCCESS,
)
from weft.runtime.errors import CLError, error_name
from weft.runtime.objects import CLObject

Entry = Callable[..., int]

ENTRIES: dict[str, Entry] = {}

ENTRY_MODULES = (
    "platform",
    "device",
    "context",
    "queue",
    "memory",
    "image",
    "sampler",
    "pipe",
    "transfer",
    "image_transfer",
    "rect",
    "mapping",
    "program",
    "kernel",
    "enqueue",
    "native_kernel",
    "event",
    "svm",
    "usm",
    "command_buffer",
    "unsupported",
)


def failed(name: str, error: BaseException, first: Any = 0) -> int:
    """Return the error code of entry `name` for `error`; also notify the context's callback and the log.

    `first` is the entry's first parameter: the object through which the context is found.
    """
    interrupt = interrupt_in(error)
    if interrupt is not None:
        return interrupted(interrupt, getattr(interrupt, "ended_wait", False) or name in _WAITS_FOR_COMPILER)
    if isinstance(error, CLError):
        code, message = error.code, error.message
    elif message := lack_of_memory(error):
        code = CL_OUT_OF_HOST_MEMORY
    elif isinstance(error, settings.InvalidSetting):
        code, message = CL_OUT_OF_RESOURCES, str(error)
        tell(message)
    else:
        code, fault = CL_OUT_OF_RESOURCES, Fault.of(error)
        message = f"internal error: {fault.reason}"
        report(f"{name} failed", fault)
    if is_verbose():
        tell(f"{name}: {error_name(code)}: {message}")
    target = handles.live.get(first) if isinstance(first, int) else None
    if target is not None:
        _notify(target, f"{name}: {error_name(code)}: {message}")
    return code


_WAITS_FOR_COMPILER = {"clBuildProgram", "clCompileProgram"}


def interrupted(error: BaseException, waiting: bool) -> int:
    """Return the code of a call that an interrupt has ended. The program sees the interrupt soon afterwards.

    The code is not one after which clients try again. A call that was only `waiting` returns success, and the
    program raises the interrupt as soon as it returns.
    """
    if waiting and pass_on_at_once(error):
        return CL_SUCCESS
    pass_on(error)
    return CL_INVALID_OPERATION


def _notify(target: CLObject, text: str) -> None:
    """Call the error callback of the context of `target` with `text`."""
    notify = getattr(getattr(target, "context", target), "notify", None)
    if notify is not None:
        notify(text)


def entry(name: str) -> Callable[[Callable[..., None]], Entry]:
    """Register a function that returns an error code."""

    def register(body: Callable[..., None]) -> Entry:
        def call(*arguments: Any) -> int:
            try:
                body(*arguments)
            except BaseException as error:
                return failed(name, error, arguments[0] if arguments else 0)
            return CL_SUCCESS

        return _add(name, call, body)

    return register


def creator(name: str) -> Callable[[Callable[..., CLObject | int]], Entry]:
    """Register a function that returns an object (or an address) and its error code in `errcode_ret`."""

    def register(body: Callable[..., CLObject | int]) -> Entry:
        def call(*arguments: Any) -> int:
            code_pointer = arguments[-1]
            code = CL_SUCCESS
            result = 0
            try:
                value = body(*arguments[:-1])
                result = value if isinstance(value, int) else handles.publish(value)
            except BaseException as error:
                code = failed(name, error, arguments[0]) or CL_INVALID_OPERATION
                if isinstance(error, CLError) and error.made is not None:
                    result = handles.publish(error.made)
            if code_pointer:
                code_pointer[0] = code
            return result

        return _add(name, call, body)

    return register


def hot_entry(name: str) -> Callable[[Entry], Entry]:
    """Register a function that handles its own errors."""
    return lambda function: _add(name, function, function)


def plain_entry(name: str) -> Callable[[Entry], Entry]:
    """Register a function that reports no error code (clSVMAlloc …)."""
    return lambda function: _add(name, function, function)


def _add(name: str, call: Entry, body: Callable[..., Any]) -> Entry:
    if name in ENTRIES:
        raise ValueError(f"{name} is registered twice")
    call.__name__ = name
    call.__doc__ = body.__doc__
    ENTRIES[name] = call
    return call


def load() -> dict[str, Entry]:
    """Import every module of entries and return the complete table."""
    for module in ENTRY_MODULES:
        import_module(f"weft.api.{module}")
    return ENTRIES
