"""Handles: the addresses that represent runtime objects on the C side.

A handle is the address of a small block whose first word the ICD loader reads as the dispatch pointer;
`weft/runtime/hot_blocks.c` manages the blocks. `live` maps each address to its object, so an invalid handle
is a failed lookup, never a dereference. Blocks are never returned to the system, because the loader may read
the first word even of a freed handle. They are reused only after thousands of others, so that a stale handle
fails its lookup instead of naming a new object.

Events, and queues, buffers, programs and kernels created in C without Python, are not in `live` until their
first lookup from Python, which *adopts* them: it creates the Python object and makes Python the owner.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from threading import get_ident
from time import monotonic, sleep
from typing import Any, TypeVar

from weft.api.memory_access import ffi
from weft.locks import new_reentrant_lock
from weft.runtime import objects
from weft.runtime.context import Context, on_adopt_queues
from weft.runtime.errors import CLError
from weft.runtime.event import Event
from weft.runtime.hot import ffi as hot_ffi
from weft.runtime.hot import lib as hot
from weft.runtime.hot import pool_address, pool_command, pool_queue
from weft.runtime.kernel import Kernel
from weft.runtime.memory import Buffer, Memory
from weft.runtime.objects import CLObject
from weft.runtime.platform import Device
from weft.runtime.queue import CommandQueue

live: dict[int, CLObject] = {}

# Held while an object is adopted. Reentrant, because the garbage collector may release events meanwhile.
adoption_lock = new_reentrant_lock()

# Threads that are deleting objects -> nesting depth of `carry_out`.
_deleting: dict[int, int] = {}
# Seconds for which a build waits for other threads that delete kernels, and between checks.
_LONGEST_WAIT, _PAUSE = 1.0, 0.0005

os.register_at_fork(after_in_child=_deleting.clear)

O = TypeVar("O", bound=CLObject)  # noqa: E741

_new_handle = hot.weft_hot_handle
_free_block = hot.weft_hot_give_back


def _nobody_looks(_target: CLObject) -> None:
    """Publish nothing: no thread needs results of queries."""


_published: Callable[[CLObject], None] = _nobody_looks


def on_publish(hook: Callable[[CLObject], None]) -> None:
    """Call `hook` with every object that gets a handle, except events and memory objects."""
    global _published
    _published = hook


def changed(target: CLObject) -> None:
    """Publish an object again because results of queries about it may have changed."""
    if target.handle:
        _published(target)


def set_dispatch(table: int) -> None:
    """Make `table` the dispatch table that all handles point to; the icd package calls this."""
    hot.weft_hot_set_dispatch(table)


def publish(target: CLObject) -> int:
    """Return the handle of `target`, which is created by the first call."""
    if target.handle:
        return target.handle
    block = _new_handle()
    if not block:
        raise MemoryError("out of memory for a handle")
    if target.handle:  # another thread has published the same object, a device, during the call into C
        _free_block(block)
        return target.handle
    target.handle = block
    live[block] = target
    if isinstance(target, Event):
        queue = target.queue
        hot.weft_hot_bind_event(
            block,
            pool_address(target.c),
            queue.handle if queue is not None else 0,
            target.context.handle,
            target.command_type,
        )
    elif isinstance(target, Memory) and target.is_buffer:
        hot.weft_hot_bind_memory(block, target.address, target.size, target.context.handle, target.flags)
    elif isinstance(target, CommandQueue):
        hot.weft_hot_bind_queue(block, pool_address(target.native.c), target.context.handle)
        _published(target)
    elif isinstance(target, (Kernel, Context)):
        if isinstance(target, Context):
            for device in target.devices:
                publish(device)
        target.bind(block)
        _published(target)
    else:
        hot.weft_hot_bind(block, target.native_kind)
        _published(target)
    return block


def adopt(target: CLObject, block: int) -> None:
    """Make `block`, which C has created, the handle of `target`."""
    if target.handle:
        unpublish(target.handle)
    target.handle = block
    live[block] = target


def claim(target: CLObject, handle: int) -> bool:
    """Adopt the handle of a program, kernel or buffer that C owns; return whether C still owned it."""
    with adoption_lock:
        is_adopted = bool(hot.weft_hot_adopt(handle))
        if is_adopted:
            adopt(target, handle)
    return is_adopted


def unpublish(handle: int) -> CLObject | None:
    """Remove a handle from the table and return its object; None if it has been removed before."""
    target = live.pop(handle, None)
    if target is not None:
        target.handle = 0
        _free_block(handle)
    return target


def _forget(target: CLObject) -> None:
    if target.handle:
        unpublish(target.handle)


objects.on_delete(_forget)


def _adopt_event(handle: int) -> CLObject | None:
    """Adopt an event that is not in `live`, and return its object; None if the handle is not an event."""
    with adoption_lock:
        if handle in live:
            return live[handle]  # another thread has adopted it in the meantime
        taken = hot_ffi.new("weft_hot_event *")
        if not hot.weft_hot_take_event(handle, taken):
            return live.get(handle)
        queue = live.get(taken.queue) or _adopt_queue(taken.queue)
        assert isinstance(queue, CommandQueue)
        event = Event(queue, taken.type, pool_command(taken.command))
        adopt(event, handle)
        hot.weft_hot_event_adopted(taken.queue)
        return event


def _adopt_queue(handle: int) -> CLObject | None:
    """Adopt a queue that is not in `live` (`hot_queues.c`), and return its object."""
    with adoption_lock:
        found = hot_ffi.new("weft_hot_queue *")
        if handle in live or not hot.weft_hot_take_queue(handle, found):
            return live.get(handle)
        context, device = live[found.context], live[found.device]
        assert isinstance(context, Context) and isinstance(device, Device)
        words = list(found.words)[: found.word_count]
        queue = CommandQueue(context, device, found.properties, words, native=pool_queue(found.native))
        adopt(queue, handle)
    hot.weft_hot_dependent_gone(context.handle)
    return queue


def _adopt_buffer(handle: int) -> CLObject | None:
    """Adopt a buffer that is not in `live` (`hot_buffers.c`), and return its object."""
    with adoption_lock:
        found = hot_ffi.new("weft_hot_unadopted_buffer *")
        if handle in live or not hot.weft_hot_find_unadopted_buffer(handle, found):
            return live.get(handle)
        context = live[found.context]
        assert isinstance(context, Context)
        buffer = Buffer.of_native(context, found.flags, found.size, found.address, found.host_pointer)
        is_adopted = claim(buffer, handle)
    if not is_adopted:  # the garbage collector has released it in the meantime, and so adopted it
        context.detach()
        return live.get(handle)
    hot.weft_hot_dependent_gone(context.handle)
    return buffer


_adopters: dict[type[CLObject], Callable[[int], CLObject | None]] = {
    Event: _adopt_event,
    CommandQueue: _adopt_queue,
    Memory: _adopt_buffer,
}


def on_adoption(kind: type[CLObject], make: Callable[[int], CLObject | None]) -> None:
    """Call `make` to adopt a handle of a `kind` that is not in `live`; it returns None if there is none."""
    _adopters[kind] = make


def unadopted() -> list[int]:
    """Return the handles of objects that Python has not adopted."""
    count = hot.weft_hot_unadopted(hot_ffi.NULL, 0)
    found = hot_ffi.new("uintptr_t[]", count + 1)
    return list(found[0 : min(count, hot.weft_hot_unadopted(found, count))])


def _adopt_queues() -> None:
    for handle in unadopted():
        _adopt_queue(handle)


on_adopt_queues(_adopt_queues)


def create_object(handle: int) -> None:
    """Adopt the object of a handle, unless it has been released in the meantime."""
    for make in tuple(_adopters.values()):
        with suppress(CLError):
            make(handle)


def wait_for_deletions() -> None:
    """Wait until other threads have finished deleting objects, but not longer than _LONGEST_WAIT."""
    end = monotonic() + _LONGEST_WAIT
    while any(thread != get_ident() for thread in tuple(_deleting)) and monotonic() < end:
        sleep(_PAUSE)


def carry_out(free: Callable[[Context, int, bool], None]) -> None:
    """Do the work that threads without the GIL have left: delete objects, `free` shared memory."""
    thread = get_ident()
    _deleting[thread] = _deleting.get(thread, 0) + 1
    try:
        while handle := hot.weft_hot_next_deletion():
            with adoption_lock:
                target = live.get(handle) or _adopt_queue(handle) or _adopt_buffer(handle)
            if target is not None:
                target.delete_if_unused()
    finally:
        left = _deleting.pop(thread, 1) - 1  # the entry may be missing after a fork
        if left:
            _deleting[thread] = left
    freed = hot_ffi.new("weft_hot_freed *")
    while hot.weft_hot_next_free(freed):
        owner = live.get(freed.context)
        if isinstance(owner, Context):
            free(owner, freed.pointer, bool(freed.is_svm))


def find(handle: int, kind: type[CLObject]) -> CLObject | None:
    """Return the object of `handle`, or None. Adopt it if C owns it and it is of class `kind`."""
    target = live.get(handle)
    return _adopters[kind](handle) if target is None and kind in _adopters else target


def lookup(handle: int, kind: type[O], code: int) -> O:
    """Return the object of class `kind` for `handle`; raises CLError(code) if there is none."""
    target = find(handle, kind)
    if isinstance(target, kind):
        return target
    if not handle:
        raise CLError(code, f"the {kind.kind} is NULL")
    if target is None:
        raise CLError(code, f"{handle:#x} is not a live {kind.kind}")
    raise CLError(code, f"{handle:#x} is a {target.kind}, not a {kind.kind}")


def lookup_list(pointer: Any, count: int, kind: type[O], code: int) -> list[O]:
    """Return the objects of an array of `count` handles."""
    addresses = ffi.unpack(ffi.cast("uintptr_t *", pointer), count) if count else ()
    return [lookup(address, kind, code) for address in addresses]
