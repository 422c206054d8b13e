"""Entries of devices."""

import time
from typing import Any

from weft.api import handles
from weft.api.constants import (
    CL_DEVICE_NOT_FOUND,
    CL_DEVICE_PARTITION_BY_COUNTS,
    CL_DEVICE_PARTITION_BY_COUNTS_LIST_END,
    CL_DEVICE_TYPE_ACCELERATOR,
    CL_DEVICE_TYPE_ALL,
    CL_DEVICE_TYPE_CPU,
    CL_DEVICE_TYPE_CUSTOM,
    CL_DEVICE_TYPE_DEFAULT,
    CL_DEVICE_TYPE_GPU,
    CL_INVALID_DEVICE,
    CL_INVALID_DEVICE_TYPE,
    CL_INVALID_VALUE,
)
from weft.api.device_info import DEVICE_INFO
from weft.api.info import answer
from weft.api.memory_access import write_handles
from weft.api.platform import platform_of
from weft.api.registry import entry
from weft.runtime import sub_device
from weft.runtime.errors import CLError
from weft.runtime.platform import Device, Platform

_KNOWN_TYPES = (
    CL_DEVICE_TYPE_DEFAULT
    | CL_DEVICE_TYPE_CPU
    | CL_DEVICE_TYPE_GPU
    | CL_DEVICE_TYPE_ACCELERATOR
    | CL_DEVICE_TYPE_CUSTOM
)


def device_of(handle: int) -> Device:
    """Return the device of a handle."""
    return handles.lookup(handle, Device, CL_INVALID_DEVICE)


def select_devices(platform: Platform, device_type: int) -> tuple[Device, ...]:
    """Return the platform's devices of a type; raises if there are none."""
    if device_type != CL_DEVICE_TYPE_ALL and (not device_type or device_type & ~_KNOWN_TYPES):
        raise CLError(CL_INVALID_DEVICE_TYPE, f"{device_type:#x} is not a device type")
    found = tuple(
        device
        for index, device in enumerate(platform.devices)
        if device.type & device_type or (index == 0 and device_type & CL_DEVICE_TYPE_DEFAULT)
    )
    if not found:
        raise CLError(CL_DEVICE_NOT_FOUND, f"no devices of type {device_type:#x}")
    return found


@entry("clGetDeviceIDs")
def get_device_ids(platform: int, device_type: int, num_entries: int, devices: Any, num_devices: Any) -> None:
    """List the devices of a type."""
    owner = platform_of(platform)
    if (devices and not num_entries) or (not devices and not num_devices):
        raise CLError(CL_INVALID_VALUE, "devices and num_devices are both NULL")
    found = select_devices(owner, device_type)
    if devices:
        write_handles(devices, [handles.publish(device) for device in found[:num_entries]])
    if num_devices:
        num_devices[0] = len(found)


@entry("clGetDeviceInfo")
def get_device_info(device: int, param: int, size: int, value: Any, size_ret: Any) -> None:
    """Answer a query about a device."""
    answer(DEVICE_INFO, device_of(device), param, size, value, size_ret)


@entry("clRetainDevice")
def retain_device(device: int) -> None:
    """Add a reference to a sub-device; root devices are not reference-counted."""
    device_of(device).retain()


@entry("clReleaseDevice")
def release_device(device: int) -> None:
    """Drop a reference to a sub-device; root devices are not reference-counted."""
    device_of(device).release()


@entry("clCreateSubDevices")
def create_sub_devices(device: int, properties: Any, num_devices: int, out: Any, num_ret: Any) -> None:
    """Partition a device into sub-devices."""
    parent = device_of(device)
    if (num_devices and not out) or (out and not num_devices):
        raise CLError(CL_INVALID_VALUE, "out_devices is NULL")
    partition = _partition(properties)
    counts = sub_device.counts(parent, partition)
    if out:
        if num_devices < len(counts):
            raise CLError(CL_INVALID_VALUE, f"num_devices must be at least {len(counts)}, got {num_devices}")
        sub_devices = [sub_device.SubDevice(parent, count, partition) for count in counts]
        write_handles(out, [handles.publish(part) for part in sub_devices])
    if num_ret:
        num_ret[0] = len(counts)


def _partition(properties: Any) -> tuple[int, ...]:
    """Read the partition scheme with its final zero. A list of counts has its own terminating zero.

    After that zero nothing is read, because clients omit the final one (the OpenCL adapter of SYCL's
    runtime).
    """
    if not properties or not properties[0]:
        raise CLError(CL_INVALID_VALUE, "properties is NULL or empty")
    values = [int(properties[0])]
    if values[0] == CL_DEVICE_PARTITION_BY_COUNTS:
        while len(values) <= sub_device.LONGEST_LIST and properties[len(values)]:
            values.append(int(properties[len(values)]))
        return (*values, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0)
    if properties[2]:
        raise CLError(CL_INVALID_VALUE, "properties contains more than one partition scheme")
    return (*values, int(properties[1]), 0)


def _now() -> int:
    """Return the time of the profiling clock in nanoseconds; it is the clock of both device and host."""
    return time.monotonic_ns()


@entry("clGetDeviceAndHostTimer")
def get_device_and_host_timer(device: int, device_timestamp: Any, host_timestamp: Any) -> None:
    """Return the times of both clocks at the same moment."""
    device_of(device)
    if not device_timestamp or not host_timestamp:
        raise CLError(CL_INVALID_VALUE, "a timestamp pointer is NULL")
    device_timestamp[0] = host_timestamp[0] = _now()


@entry("clGetHostTimer")
def get_host_timer(device: int, host_timestamp: Any) -> None:
    """Return the time of the host's clock."""
    device_of(device)
    if not host_timestamp:
        raise CLError(CL_INVALID_VALUE, "a timestamp pointer is NULL")
    host_timestamp[0] = _now()
