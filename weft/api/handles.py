"""Handles: the addresses that stand for runtime objects on the C side.

A handle is the address of a small block whose first word the ICD loader reads as the dispatch pointer. The
block is allocated by the icd package (`set_allocator`); without it, plain memory serves. `live` maps each
address to its object, so a bad handle is a failed look-up and never a dereference. Blocks are never
returned to the system, so that the loader may read the first word even of a handle that was freed; they
are reused only after many others, so that a stale handle fails its look-up instead of naming a new object.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

from weft.api.memory_access import ffi
from weft.runtime import objects
from weft.runtime.errors import CLError
from weft.runtime.objects import CLObject

live: dict[int, CLObject] = {}

_QUARANTINE = 4096
_retired: deque[int] = deque()
_blocks: list[Any] = []  # keeps the blocks of the default allocator

O = TypeVar("O", bound=CLObject)  # noqa: E741


def _plain_block() -> int:
    block = ffi.new("uintptr_t[2]")
    _blocks.append(block)
    return int(ffi.cast("uintptr_t", block))


_allocate: Callable[[], int] = _plain_block


def set_allocator(allocate: Callable[[], int]) -> None:
    """Take handle blocks from `allocate`; the icd package calls this once.

    Objects that have a handle already (of a Python client that uses the entries directly) get another.
    """
    global _allocate
    _allocate = allocate
    _retired.clear()
    published = list(live.values())
    live.clear()
    for target in published:
        target.handle = 0
        publish(target)


def publish(target: CLObject) -> int:
    """The handle of `target`, made at the first call."""
    if target.handle:
        return target.handle
    block = _retired.popleft() if len(_retired) > _QUARANTINE else _allocate()
    target.handle = block
    live[block] = target
    return block


def adopt(target: CLObject, block: int) -> None:
    """Make `block`, which the C side owns, the handle of `target` (so it is with the platform)."""
    if target.handle:
        live.pop(target.handle, None)
    target.handle = block
    live[block] = target


def withdraw(handle: int) -> CLObject | None:
    """Take a handle out of the table; None if somebody else did so before."""
    target = live.pop(handle, None)
    if target is not None:
        target.handle = 0
        _retired.append(handle)
    return target


def _forget(target: CLObject) -> None:
    if target.handle:
        withdraw(target.handle)


objects.on_delete(_forget)


def lookup(handle: int, kind: type[O], code: int) -> O:
    """The live object of class `kind` behind `handle`; raises CLError(code) if there is none."""
    target = live.get(handle)
    if isinstance(target, kind):
        return target
    if not handle:
        raise CLError(code, f"the {kind.kind} is NULL")
    if target is None:
        raise CLError(code, f"{handle:#x} is not a live {kind.kind}")
    raise CLError(code, f"{handle:#x} is a {target.kind}, not a {kind.kind}")


def lookup_list(pointer: Any, count: int, kind: type[O], code: int) -> list[O]:
    """The objects behind an array of `count` handles."""
    addresses = ffi.unpack(ffi.cast("uintptr_t *", pointer), count) if count else ()
    return [lookup(address, kind, code) for address in addresses]
