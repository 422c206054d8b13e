"""Copies between addresses of this process, for the few transfers that use no queue."""

# The FFI class of compiled modules: it needs no pycparser, whose import would cost every client 30 ms.
from _cffi_backend import FFI

_ffi = FFI()
_BYTES = _ffi.typeof("char *")
_CHUNK = 1 << 20


def copy(destination: int, source: int, size: int) -> None:
    """Copy `size` bytes from one address to another."""
    _ffi.memmove(_ffi.cast(_BYTES, destination), _ffi.cast(_BYTES, source), size)


def write(destination: int, data: bytes) -> None:
    """Copy bytes to an address."""
    _ffi.memmove(_ffi.cast(_BYTES, destination), data, len(data))


def clear(destination: int, size: int) -> None:
    """Fill memory with zeros."""
    zeros = bytes(min(size, _CHUNK))
    for start in range(0, size, _CHUNK):
        _ffi.memmove(_ffi.cast(_BYTES, destination + start), zeros, min(_CHUNK, size - start))
