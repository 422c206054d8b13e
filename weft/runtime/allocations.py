"""Allocations of unified shared memory, in a table that C uses without Python (`hot_allocations.c`)."""

from typing import Any

from weft.runtime.hot import ffi
from weft.runtime.hot import lib as hot

# `weft_hot_allocation`: address, size, kind, flags, context and device (0: of all devices).
Allocation = Any


def add(context: int, address: int, size: int, kind: int, device: int, flags: int) -> None:
    """Record an allocation, which its context waits for until `hot.weft_hot_dependent_gone`."""
    made = ffi.new("weft_hot_allocation *", (address, context, device, size, flags, kind))
    if hot.weft_hot_add_allocation(made):
        raise MemoryError("no memory to record an allocation")


def take(context: int, address: int) -> Allocation | None:
    """Forget the allocation of a context that starts at `address`; None if there is none."""
    found = ffi.new("weft_hot_allocation *")
    return found if hot.weft_hot_take_allocation(context, address, found) else None


def find(context: int, address: int) -> Allocation | None:
    """The allocation of a context that `address` points into."""
    found = ffi.new("weft_hot_allocation *")
    return found if hot.weft_hot_find_allocation(context, address, found) else None
