"""Allocations of unified shared memory: access to the table in C (`hot_allocations.c`)."""

from typing import Any

from weft.runtime.hot import ffi
from weft.runtime.hot import lib as hot

# A `weft_hot_allocation`: address, size, kind, flags, context and device (0: for all devices).
Allocation = Any


def add(context: int, address: int, size: int, kind: int, device: int, flags: int) -> None:
    """Record an allocation, a dependent of its context until `hot.weft_hot_dependent_gone`."""
    allocation = ffi.new("weft_hot_allocation *", (address, context, device, size, flags, kind))
    if hot.weft_hot_add_allocation(allocation):
        raise MemoryError("no memory to record an allocation")


def take(context: int, address: int) -> Allocation | None:
    """Remove and return the allocation of a context that starts at `address`; None if there is none."""
    found = ffi.new("weft_hot_allocation *")
    return found if hot.weft_hot_take_allocation(context, address, found) else None


def find(context: int, address: int) -> Allocation | None:
    """Return the allocation of a context that `address` points into; None if there is none."""
    found = ffi.new("weft_hot_allocation *")
    return found if hot.weft_hot_find_allocation(context, address, found) else None
