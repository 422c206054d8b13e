"""Reading and writing the client's memory through the pointers that its calls pass."""

from typing import Any

# The FFI class of compiled modules: it needs no pycparser, whose import would cost every client 30 ms.
from _cffi_backend import FFI

ffi = FFI()
NULL = ffi.NULL


def address(pointer: Any) -> int:
    """Return the address of a pointer, which is an int or a cffi pointer."""
    return pointer if type(pointer) is int else int(ffi.cast("uintptr_t", pointer))


def read_bytes(pointer: Any, size: int) -> bytes:
    """Return a copy of `size` bytes at `pointer`."""
    return bytes(ffi.buffer(ffi.cast("char *", pointer), size)) if size else b""


def read_string(pointer: Any) -> str:
    """Return the text of a C string; bytes that are not UTF-8 become surrogates."""
    return ffi.string(ffi.cast("char *", pointer)).decode("utf-8", "surrogateescape")


def read_sizes(pointer: Any, count: int) -> tuple[int, ...]:
    """Return `count` values of an array of size_t."""
    return tuple(ffi.unpack(ffi.cast("size_t *", pointer), count))


def read_handle(pointer: Any) -> int:
    """Return the handle stored at `pointer`."""
    return int(ffi.cast("uintptr_t *", pointer)[0])


def write_handle(pointer: Any, value: int) -> None:
    """Store a handle at `pointer`."""
    ffi.cast("uintptr_t *", pointer)[0] = value


def write_bytes(pointer: Any, data: bytes) -> None:
    """Copy `data` to `pointer`."""
    ffi.memmove(ffi.cast("char *", pointer), data, len(data))


def read_property_list(pointer: Any, limit: int = 64) -> list[int]:
    """Return the values of a zero-terminated list of 64-bit properties, without the zero."""
    if not pointer:
        return []
    values = ffi.cast("uint64_t *", pointer)
    found: list[int] = []
    while values[len(found)]:
        found += (int(values[len(found)]), int(values[len(found) + 1]))
        if len(found) > 2 * limit:
            raise ValueError("the property list is not terminated by 0")
    return found


def write_handles(pointer: Any, values: list[int]) -> None:
    """Store an array of handles at `pointer`."""
    array = ffi.cast("uintptr_t *", pointer)
    for index, value in enumerate(values):
        array[index] = value
