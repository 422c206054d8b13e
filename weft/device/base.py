"""The device interface, and the devices of this host.

`Device`, `Queue`, `Command`, `UserCommand` and `Launch` are the whole interface; docs/device.md explains
the native worker pool behind it.
"""

import atexit
from collections.abc import Callable
from functools import partial
from typing import Any

from weft.abi import SUB_GROUP_FUNCTIONS
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
"""Ends all pools in bounded time: commands that are running or waiting never end, later ones fail."""

# Registered when this module is imported, hence run after the hooks of the modules that use it.
atexit.register(stop_commands)
atexit.register(lib.weft_interrupts_on, 0, 0)

IMPORTS["weft_printf"] = lib.weft_printf_address()
for _name in SUB_GROUP_FUNCTIONS:
    IMPORTS[_name] = lib.weft_sub_groups_function(_name.encode())


class Device:
    """One OpenCL device: its facts, its memory and its native worker pool."""

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
        """A sub-device with at most so many threads, including waiting ones."""
        info = replace(self.info, compute_units=compute_units)
        idle = _idle_pools.setdefault(compute_units, [])
        try:
            pool = idle.pop()
        except IndexError:
            pool = None
        return Device(Description(info, threads=compute_units, exclusive=True), pool)

    def release_pool(self) -> None:
        """The sub-device is no longer used: its pool, which is never destroyed, is reused."""
        _idle_pools[self.info.compute_units].append(self._pool)

    def allocate(self, nbytes: int, alignment: int = 128) -> int:
        """The address of `nbytes` bytes of the device's memory, which is the host's as well."""
        if nbytes < 1:
            raise ValueError("cannot allocate less than one byte")
        if alignment < 1 or alignment & (alignment - 1):
            raise ValueError(f"alignment {alignment} is not a power of two")
        return self.memory.allocate(nbytes, alignment)

    def free(self, address: int) -> None:
        """Give memory from `allocate` back; no command may still use it."""
        self.memory.free(address)

    def new_queue(self, *, out_of_order: bool = False, profiling: bool = False, made: Any = None) -> Queue:
        """A command queue of this device; `made` is the pool's queue if there is one already."""
        return Queue(self._pool, out_of_order=out_of_order, profiling=profiling, made=made)

    @property
    def pool_address(self) -> int:
        """Where the worker pool is, for C."""
        return int(ffi.cast("uintptr_t", self._pool))

    def user_command(self) -> UserCommand:
        """A command that ends when its `complete` is called."""
        c = lib.weft_user_command(self._pool)
        if not c:
            raise MemoryError("no memory for a command")
        return UserCommand(c)


def _memory(description: Description, pool: Any) -> Memory:
    """What the device has of the memories there are."""
    if description.machine is not None:
        from weft.device.ttasim import MachineMemory  # which most programs do not use

        return MachineMemory(description.machine, pool)
    return HostMemory() if description.region is None else Region(description.region, pool)


# Pools of parts that are gone, by their number of threads.
_idle_pools: dict[int, list[Any]] = {}


def _describe_ttasim(host: HostFacts) -> Description:
    from weft.device import ttasim  # which most programs do not use

    return ttasim.describe(host)


def _describe_emulated(kind: str, emulator: str, host: HostFacts) -> Description:
    from weft.device import emulated  # and descriptions of processors, which most programs do not use

    return emulated.describe(kind, emulator, host)


# By their names, the default one first.
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

# The devices that were asked for.
_made: dict[str, Device] = {}


def device(kind: str) -> Device:
    """The device of a kind among KINDS; made at the first call, always the same object."""
    found = _made.get(kind)
    if found is None:
        made = Device(_KINDS[kind](host_facts()))
        # Not a lock, which a fork in another thread could leave held: the first of two threads wins.
        found = _made.setdefault(kind, made)
    return found


def devices() -> tuple[Device, ...]:
    """The devices of this host, the default one first."""
    return tuple(map(device, KINDS))
