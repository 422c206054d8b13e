"""The native side of handles, and the calls that do not need Python; see `hot.h`."""

from typing import Any

from weft.device._pool import ffi as pool_ffi
from weft.device._pool import lib as pool
from weft.device.command import on_post
from weft.device.interrupts import raised
from weft.device.shared_code import SharedLoader, import_addresses
from weft.runtime._hot import ffi, lib

__all__ = [
    "SharedLoader",
    "ffi",
    "hold_functions",
    "import_addresses",
    "lib",
    "on_post",
    "pool_address",
    "pool_command",
    "pool_queue",
    "raised",
]


def pool_address(pointer: object) -> int:
    """Return the address in a pointer of the worker pool's interface."""
    return int(pool_ffi.cast("uintptr_t", pointer))


def pool_command(address: int) -> Any:
    """Return the command of the worker pool at an address."""
    return pool_ffi.cast("weft_command *", address)


def pool_queue(address: int) -> Any:
    """Return the queue of the worker pool at an address."""
    return pool_ffi.cast("weft_queue *", address)


def _function(name: str) -> int:
    return pool_address(pool_ffi.addressof(pool, name))


def hold_functions() -> tuple[int, int]:
    """Return the functions of the pool that hold signals and release them."""
    return _function("weft_signals_hold"), _function("weft_signals_release")


_FIELDS = [name for name, _field in ffi.typeof("weft_hot_functions").fields]
lib.weft_hot_start(ffi.new("weft_hot_functions *", {name: _function(f"weft_{name}") for name in _FIELDS}))
