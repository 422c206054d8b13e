"""The C functions that stand in the dispatch table before the hottest entries."""

from collections.abc import Mapping

from weft.runtime.hot import ffi, lib

_FIELDS = {
    "clEnqueueNDRangeKernel": "enqueue_ndrange_kernel",
    "clSetKernelArg": "set_kernel_arg",
    "clFinish": "finish",
    "clWaitForEvents": "wait_for_events",
    "clReleaseEvent": "release_event",
}


def install(entrances: Mapping[str, int], interrupted: int) -> dict[str, int]:
    """The addresses to be put into the dispatch table instead of those of the Python entries.

    `entrances` has the C functions that lead into the Python entries; they are called for everything that
    has not been prepared. `interrupted` is called when a handler of a signal has ended a wait.
    """
    python = ffi.new("weft_hot_fallbacks *", {field: entrances[name] for name, field in _FIELDS.items()})
    python.interrupted = interrupted
    native = lib.weft_hot_install(python)
    return {name: getattr(native, field) for name, field in _FIELDS.items()}
