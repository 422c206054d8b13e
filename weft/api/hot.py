"""Install C functions in the dispatch table, for hot entry points and those that must not wait."""

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
    """The addresses to be put into the dispatch table instead of those of the Python entries.

    `entrances` has the C functions that lead into the Python entries; they are called for everything that
    C does not do itself. `callbacks` has the other functions that C calls, by the names of `hot.h`.
    """
    # The fields are called as the functions: release_mem_object stands for clReleaseMemObject.
    names = {name.lower(): name for name in entrances}
    fields = [field for field, _ in ffi.typeof("weft_hot_fallbacks").fields]
    known = {names["cl" + field.replace("_", "")]: field for field in fields}
    python = ffi.new("weft_hot_fallbacks *", {field: entrances[name] for name, field in known.items()})
    native = lib.weft_hot_install(python, ffi.new("weft_hot_callbacks *", dict(callbacks)))
    return {name: getattr(native, field) for name, field in known.items()}


def pending_function() -> int:
    """The C function that reports whether there is work for `carry_out`."""
    return int(ffi.cast("uintptr_t", ffi.addressof(lib, "weft_hot_pending")))


def listen(start: bool) -> None:
    """Have the thread of notifications carry out what no call comes for, and a build what it depends on.

    `start` it for that: threads of the client may be unable to enter Python.
    """
    on_post(_carry_out_all, start)
    on_rebuild(_delete_kernels)


def publish(target: CLObject) -> None:
    """Leave what C needs of an object for threads that must not wait for Python."""
    if isinstance(target, Context):
        _set_builder()
    elif isinstance(target, Program):
        data, context = target.il, target.context.handle
        if data and lib.weft_hot_bind_program(target.handle, context, data, len(data)):
            raise MemoryError("no memory for a program")
    keep_results(target)


@cache
def _set_builder() -> None:
    """Tell C how to start a builder, and what code that it makes may call. No interpreter, no builder."""
    command = module_command("weft.api.start_builder")
    if command is not None:
        words = [ffi.new("char[]", os.fsencode(word)) for word in command.words]
        path = b"PYTHONPATH=" + os.fsencode(command.path)
        addresses = import_addresses()
        lib.weft_hot_set_builder(words, len(words), path, addresses, len(addresses))


def _carry_out_all() -> None:
    carry_out()
    # It does not wait for another thread that prepares launches: events have callbacks.
    if lib.weft_hot_nobody_prepares():
        prepare_deferred()


def _delete_kernels() -> None:
    """Delete kernels that the client has released and whose launches were still to be prepared."""
    prepare_deferred()
    carry_out()
    handles.wait_for_deletions()


def carry_out() -> None:
    """Do what threads have left to Python that could not wait for it."""
    handles.carry_out(_free)


def _free(context: Context, pointer: int, is_svm: bool) -> None:
    if is_svm:
        svm.free(context, pointer)
        return
    try:
        usm.free(context, pointer, blocking=False)
    except CLError as error:  # the caller was not told: it could not wait
        failed("clMemFreeINTEL", error, context.handle)
