"""Prepare launches enqueued by threads that could not wait for the GIL (`hot_deferred.c`)."""

import os
from typing import Any

from weft.api.enqueue import key_of
from weft.api.kernel import kernel_of
from weft.api.queue import queue_of
from weft.api.registry import failed
from weft.errors import tell
from weft.locks import new_reentrant_lock
from weft.runtime.errors import CLError
from weft.runtime.hot import ffi, lib, pool_command
from weft.runtime.launch import Deferred, PreparedLaunch, fail_deferred, prepare, remember

_preparing = new_reentrant_lock()
_is_busy = False  # guarded by the lock


def prepare_deferred() -> None:
    """Prepare and start all waiting launches.

    Returns at once if the calling thread is preparing launches already: an error callback of the client may
    call this again.
    """
    global _is_busy
    found = ffi.new("weft_hot_deferred *")
    with _preparing:
        if _is_busy:
            return
        _is_busy = True
        try:
            while lib.weft_hot_next_deferred(found):
                _start(found)
        finally:
            _is_busy = False


def _after_fork() -> None:
    """Reset in the child of a fork: the thread that prepares launches exists only in the parent."""
    global _is_busy
    _is_busy = False


os.register_at_fork(after_in_child=_after_fork)


def _start(found: Any) -> None:
    """Prepare and start a launch. An error ends its event, because the enqueue has returned success."""
    command = pool_command(found.command)
    try:
        launch = _prepared(found)
    except BaseException as error:
        code = failed("clEnqueueNDRangeKernel", error, found.queue)
        if isinstance(error, CLError):
            tell(f"a kernel was enqueued and cannot be launched: {error.message}")
        fail_deferred(command, code)
    else:
        launch.start_deferred(command)


def _prepared(found: Any) -> PreparedLaunch:
    # Queue and kernel live until then, unless the client has released them during the enqueue.
    queue, kernel, key = queue_of(found.queue), kernel_of(found.kernel), found.key
    work_dim: int = key.work_dim
    extents = tuple(key.global_size)[:work_dim]
    local = tuple(key.local_size)[:work_dim] if key.given & lib.WEFT_HOT_LOCAL_SIZE else None
    start = tuple(key.offset)[:work_dim] if key.given & lib.WEFT_HOT_OFFSET else None
    deferred = Deferred(found.local_bytes, found.layout, bool(found.are_disjoint))
    launch = prepare(queue, kernel, work_dim, start, extents, local, deferred)
    assert launch is not None  # there are work-items
    kernel.forget_other_layouts()
    if found.layout == kernel.native.layout:
        remember(kernel, key_of(found.queue, start, extents, local), launch, start, extents, local)
    return launch
