"""Sub-devices: part of a device's cores as a separate device with its own threads."""

from weft.runtime.codes import (
    CL_DEVICE_PARTITION_BY_COUNTS,
    CL_DEVICE_PARTITION_EQUALLY,
    CL_DEVICE_PARTITION_FAILED,
    CL_INVALID_DEVICE_PARTITION_COUNT,
    CL_INVALID_VALUE,
)
from weft.runtime.errors import CLError
from weft.runtime.hot import lib as hot
from weft.runtime.objects import CLObject
from weft.runtime.platform import Device

LONGEST_LIST = 4096  # maximum number of counts; no device has so many cores


class SubDevice(Device):
    """A part of `parent`. It is reference-counted, and lives as long as contexts and queues use it."""

    native_kind = hot.WEFT_HOT_SUB_DEVICE
    retain = CLObject.retain
    release = CLObject.release
    attach = CLObject.attach
    detach = CLObject.detach

    def __init__(self, parent: Device, compute_units: int, partition: tuple[int, ...]) -> None:
        super().__init__(parent.platform, parent.native.part(compute_units))
        self.parent = parent
        self.partition = partition
        parent.attach()

    def delete(self) -> None:
        """Release the pool, which the next sub-device of the same size reuses."""
        self.native.release_pool()
        assert self.parent is not None
        self.parent.detach()


def partition_ways(device: Device) -> tuple[int, ...]:
    """Return the schemes by which a device can be partitioned; (0,) if there are none or it has one core."""
    if not device.info.partitionable or device.info.compute_units < 2:
        return (0,)
    return CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS


def counts(device: Device, partition: tuple[int, ...]) -> list[int]:
    """Return the compute units of each sub-device into which a scheme partitions `device`."""
    units = device.info.compute_units
    scheme, *values = partition
    if not device.info.partitionable:
        raise CLError(CL_DEVICE_PARTITION_FAILED, f"device {device.info.kind!r} cannot be partitioned")
    if scheme not in (CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS):
        raise CLError(CL_INVALID_VALUE, f"{scheme:#x} is not a partition scheme of the device")
    if scheme == CL_DEVICE_PARTITION_EQUALLY:
        each = values[0]
        if each == 0:
            raise CLError(CL_INVALID_VALUE, "partition size must be at least 1, got 0")
        if not 0 < each <= units:
            message = f"partition size is {each}; the device has {units} compute units"
            raise CLError(CL_INVALID_DEVICE_PARTITION_COUNT, message)
        if each == units:
            raise CLError(CL_DEVICE_PARTITION_FAILED, "partition size equals the number of compute units")
        return [each] * (units // each)
    listed = values[:-2]
    if not listed:
        raise CLError(CL_INVALID_VALUE, "CL_DEVICE_PARTITION_BY_COUNTS needs at least one count")
    if sum(listed) > units or len(listed) > units or min(listed) < 0:
        message = f"{len(listed)} partitions of {sum(listed)} compute units in total; the device has {units}"
        raise CLError(CL_INVALID_DEVICE_PARTITION_COUNT, message)
    if units < 2:
        raise CLError(CL_DEVICE_PARTITION_FAILED, "a device with one compute unit cannot be partitioned")
    return listed
