"""Install C functions in the dispatch table, for frequent calls and calls that must not wait for the GIL."""

import os
from collections.abc import Mapping
from functools import cache

from weft.api import handles
from weft.api.deferred import prepare_deferred
from weft.api.program import on_rebuild
from weft.api.registry import failed
from weft.api.snapshot import keep_results
from weft.runtime import svm, usm
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.hot import ffi, import_addresses, lib, on_post
from weft.runtime.objects import CLObject
from weft.runtime.program import Program
from weft.runtime.python_command import module_command

CALLBACKS = [field for field, _ in ffi.typeof("weft_hot_callbacks").fields]


def install(entrances: Mapping[str, int], callbacks: Mapping[str, int]) -> dict[str, int]:
    """Return the C functions for the dispatch table that replace Python entries.

    `entrances` are the C functions that call the Python entries; the native functions call them for all cases
    that they do not handle. `callbacks` are the other functions that C calls, by their names in `hot.h`.
    """
    # The fields are named after the functions: release_mem_object is clReleaseMemObject.
    names = {name.lower(): name for name in entrances}
    fields = [field for field, _ in ffi.typeof("weft_hot_fallbacks").fields]
    known = {names["cl" + field.replace("_", "")]: field for field in fields}
    python = ffi.new("weft_hot_fallbacks *", {field: entrances[name] for name, field in known.items()})
    native = lib.weft_hot_install(python, ffi.new("weft_hot_callbacks *", dict(callbacks)))
    return {name: getattr(native, field) for name, field in known.items()}


def pending_function() -> int:
    """Return the address of the C function that reports whether there is work for `carry_out`."""
    return int(ffi.cast("uintptr_t", ffi.addressof(lib, "weft_hot_pending")))


def listen(start: bool) -> None:
    """Make the notification thread carry out pending work, and builds the deletions that they depend on.

    `start`: start that thread now, because threads of the client may be unable to enter Python.
    """
    on_post(_carry_out_all, start)
    on_rebuild(_delete_kernels)


def publish(target: CLObject) -> None:
    """Store the data of an object that C needs for threads that must not wait for the GIL."""
    if isinstance(target, Context):
        _set_builder()
    elif isinstance(target, Program):
        data, context = target.il, target.context.handle
        if data and lib.weft_hot_bind_program(target.handle, context, data, len(data)):
            raise MemoryError("no memory for a program")
    keep_results(target)


@cache
def _set_builder() -> None:
    """Tell C how to start a builder and which functions its code may call, if there is an interpreter."""
    command = module_command("weft.api.start_builder")
    if command is not None:
        words = [ffi.new("char[]", os.fsencode(word)) for word in command.words]
        path = b"PYTHONPATH=" + os.fsencode(command.path)
        addresses = import_addresses()
        lib.weft_hot_set_builder(words, len(words), path, addresses, len(addresses))


def _carry_out_all() -> None:
    carry_out()
    # Only then: this must not wait for a thread that prepares launches, because events have callbacks.
    if lib.weft_hot_nobody_prepares():
        prepare_deferred()


def _delete_kernels() -> None:
    """Delete kernels that the client has released, after preparing their deferred launches."""
    prepare_deferred()
    carry_out()
    handles.wait_for_deletions()


def carry_out() -> None:
    """Do the work that threads without the GIL have left to Python."""
    handles.carry_out(_free)


def _free(context: Context, pointer: int, is_svm: bool) -> None:
    if is_svm:
        svm.free(context, pointer)
        return
    try:
        usm.free(context, pointer, blocking=False)
    except CLError as error:  # the call has already returned without an error
        failed("clMemFreeINTEL", error, context.handle)
