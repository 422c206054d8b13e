"""Unified shared memory (cl_intel_unified_shared_memory): memory that kernels access by its address.

The host and the devices can access all of it, so the three kinds of allocation use the same memory; only
queries distinguish them. Commands accept any address of the process, like those of shared virtual memory
(`svm.py`).
"""

from collections.abc import Sequence

from weft.runtime import allocations
from weft.runtime.codes import (
    CL_INVALID_BUFFER_SIZE,
    CL_INVALID_DEVICE,
    CL_INVALID_PROPERTY,
    CL_INVALID_VALUE,
    CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL,
    CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL,
    CL_MEM_ALLOC_WRITE_COMBINED_INTEL,
    CL_MEM_TYPE_SHARED_INTEL,
    CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
    CL_MIGRATE_MEM_OBJECT_HOST,
)
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.hot import lib as hot
from weft.runtime.platform import Device

LARGEST_ALIGNMENT = 128  # that of long16 and double16
PLACEMENTS = CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL
MIGRATIONS = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED


def allocate(
    context: Context, kind: int, device: Device | None, flags: int, size: int, alignment: int
) -> int:
    """Allocate memory of a kind and return its address."""
    context.check_support("cl_intel_unified_shared_memory", "unified shared memory")
    if device is not None and device not in context.devices:
        raise CLError(CL_INVALID_DEVICE, "the device is not one of the context's devices")
    if alignment > LARGEST_ALIGNMENT or alignment & (alignment - 1):
        message = f"alignment must be a power of two up to {LARGEST_ALIGNMENT}, got {alignment}"
        raise CLError(CL_INVALID_VALUE, message)
    _check_flags(kind, flags)
    most = context.max_allocation_bytes if device is None else device.info.max_allocation_bytes
    if not 0 < size <= most:
        raise CLError(CL_INVALID_BUFFER_SIZE, f"size must be 1 to {most}, got {size}")
    context.collect()
    address = context.memory.allocate(size, LARGEST_ALIGNMENT)
    allocations.add(context.handle, address, size, kind, device.handle if device is not None else 0, flags)
    if context.residency is not None:
        context.residency.add(address, size, is_passing=True)
    return address


def _check_flags(kind: int, flags: int) -> None:
    allowed = CL_MEM_ALLOC_WRITE_COMBINED_INTEL
    if kind == CL_MEM_TYPE_SHARED_INTEL:
        allowed |= PLACEMENTS
    if flags & ~allowed or flags & PLACEMENTS == PLACEMENTS:
        raise CLError(CL_INVALID_PROPERTY, f"{flags:#x} are not valid flags for unified shared memory")


def free(context: Context, address: int, blocking: bool) -> None:
    """Free memory when no command uses it any more; wait for that if `blocking`. Ignore NULL."""
    if not address:
        return
    taken = allocations.take(context.handle, address)
    if taken is None:
        raise CLError(CL_INVALID_VALUE, f"{address:#x} is not the start of an allocation")
    if blocking:
        for queue in context.all_queues():
            if queue.native.used:
                queue.native.finish()

    def free_now() -> None:
        if context.residency is not None:
            context.residency.remove(address, taken.size)
        context.memory.free(address)
        hot.weft_hot_dependent_gone(context.handle)
        context.delete_if_unused()

    context.when_idle(free_now)


def check_migration(flags: int) -> None:
    """Raise unless `flags` are migration flags. Migration does nothing."""
    if flags & ~MIGRATIONS:
        raise CLError(CL_INVALID_VALUE, f"{flags:#x} are not migration flags")


def flags_of(properties: Sequence[int], name: int) -> int:
    """Return the value of `name`, the only allowed property; 0 if it is not listed."""
    names = properties[::2]
    if any(found != name for found in names) or len(names) > 1:
        raise CLError(CL_INVALID_PROPERTY, "a property is unknown or listed twice")
    return properties[1] if properties else 0
