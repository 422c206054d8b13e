"""The device interface, and the devices of this host.

`Device`, `Queue`, `Command`, `UserCommand` and `Launch` are the whole interface; docs/device.md explains
the native worker pool behind it.
"""

import atexit
from collections.abc import Callable
from functools import partial
from typing import Any

from weft.abi import LOOP_FUNCTIONS, SUB_GROUP_FUNCTIONS
from weft.codegen.imports import IMPORTS
from weft.dataclasses import replace
from weft.device import basic, isolated, pthread
from weft.device._pool import ffi, lib
from weft.device.command import Command, UserCommand
from weft.device.emulators import EMULATORS, find_emulator
from weft.device.info import Description, DeviceInfo, HostFacts, host_facts
from weft.device.launch import Launch
from weft.device.memories import HostMemory, Memory
from weft.device.queue import Queue
from weft.device.region import Region

__all__ = [
    "KINDS",
    "Command",
    "Device",
    "DeviceInfo",
    "Launch",
    "Queue",
    "UserCommand",
    "device",
    "devices",
    "stop_commands",
]

stop_commands: Callable[[], None] = lib.weft_stop
"""Stops all pools in bounded time: commands that run or wait never end, later commands fail."""

# Registered when this module is imported, so it runs after the hooks of modules that import this one.
atexit.register(stop_commands)
atexit.register(lib.weft_interrupts_on, 0, 0)

IMPORTS["weft_printf"] = lib.weft_printf_address()
for _name in SUB_GROUP_FUNCTIONS:
    IMPORTS[_name] = lib.weft_sub_groups_function(_name.encode())
for _name in LOOP_FUNCTIONS:
    IMPORTS[_name] = lib.weft_loop_function(_name.encode())


class Device:
    """One OpenCL device: its properties, its memory and its native worker pool."""

    __slots__ = ("_pool", "info", "kind", "memory")

    def __init__(self, description: Description, pool: Any = None) -> None:
        self.kind = description.info.kind
        self.info: DeviceInfo = description.info
        self._pool = pool or lib.weft_pool_new(description.threads, description.exclusive)
        if not self._pool:
            raise MemoryError("no memory for a worker pool")
        self.memory = _memory(description, self._pool)

    def __repr__(self) -> str:
        return f"<Device {self.kind}: {self.info.name}>"

    def part(self, compute_units: int) -> "Device":
        """Create a sub-device with at most `compute_units` threads, including waiting host threads."""
        info = replace(self.info, compute_units=compute_units)
        idle = _idle_pools.setdefault(compute_units, [])
        try:
            pool = idle.pop()
        except IndexError:
            pool = None
        return Device(Description(info, threads=compute_units, exclusive=True), pool)

    def release_pool(self) -> None:
        """Make the pool of a deleted sub-device available to others; pools are never destroyed."""
        _idle_pools[self.info.compute_units].append(self._pool)

    def allocate(self, nbytes: int, alignment: int = 128) -> int:
        """Allocate `nbytes` bytes of the device's memory; return an address that the host can access too."""
        if nbytes < 1:
            raise ValueError("cannot allocate less than one byte")
        if alignment < 1 or alignment & (alignment - 1):
            raise ValueError(f"alignment {alignment} is not a power of two")
        return self.memory.allocate(nbytes, alignment)

    def free(self, address: int) -> None:
        """Free memory from `allocate`; no command may use it any more."""
        self.memory.free(address)

    def new_queue(self, *, out_of_order: bool = False, profiling: bool = False, native: Any = None) -> Queue:
        """Create a command queue of this device; `native` is the pool's queue if it exists already."""
        return Queue(self._pool, out_of_order=out_of_order, profiling=profiling, native=native)

    @property
    def pool_address(self) -> int:
        """The address of the worker pool, for C."""
        return int(ffi.cast("uintptr_t", self._pool))

    def user_command(self) -> UserCommand:
        """Create a command that ends when its `complete` is called."""
        c = lib.weft_user_command(self._pool)
        if not c:
            raise MemoryError("no memory for a command")
        return UserCommand(c)


def _memory(description: Description, pool: Any) -> Memory:
    """Create the memory of a device."""
    if description.machine is not None:
        from weft.device.ttasim import MachineMemory  # not used by most programs

        return MachineMemory(description.machine, pool)
    return HostMemory() if description.region is None else Region(description.region, pool)


# Pools of deleted sub-devices, by their number of threads.
_idle_pools: dict[int, list[Any]] = {}


def _describe_ttasim(host: HostFacts) -> Description:
    from weft.device import ttasim  # not used by most programs

    return ttasim.describe(host)


def _describe_emulated(kind: str, emulator: str, host: HostFacts) -> Description:
    from weft.device import emulated  # imports descriptions of processors; not used by most programs

    return emulated.describe(kind, emulator, host)


# Kinds of devices by name, the default one first.
_KINDS: dict[str, Callable[[HostFacts], Description]] = {
    "pthread": pthread.describe,
    "basic": basic.describe,
    **({"isolated": isolated.describe} if isolated.is_available() else {}),
    **{
        kind: partial(_describe_emulated, kind, emulator)
        for kind in EMULATORS
        if (emulator := find_emulator(kind)) is not None
    },
    "ttasim": _describe_ttasim,
}
KINDS = tuple(_KINDS)

# The devices created so far.
_made: dict[str, Device] = {}


def device(kind: str) -> Device:
    """Return the device of a kind among KINDS: always the same object, created by the first call."""
    found = _made.get(kind)
    if found is None:
        created = Device(_KINDS[kind](host_facts()))
        # The first of two threads wins. A lock could be left held by a fork in another thread.
        found = _made.setdefault(kind, created)
    return found


def devices() -> tuple[Device, ...]:
    """Return the devices of this host, the default one first."""
    return tuple(map(device, KINDS))
