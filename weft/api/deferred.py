"""Launches that threads enqueued which could not wait for Python (`hot_deferred.c`) are prepared here."""

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
    """Prepare and start all launches that wait for it.

    A callback that is told why one cannot be launched may come here again: it goes on without the others.
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
    """The thread that prepared launches is the parent's."""
    global _is_busy
    _is_busy = False


os.register_at_fork(after_in_child=_after_fork)


def _start(found: Any) -> None:
    """Start one launch. What is wrong with it ends its event: its caller was told that all was well."""
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
    # They wait for their launches, unless the client released them while it enqueued.
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
