"""One mechanism for all clGet*Info functions: a table from param_name to a function that returns bytes.

A module describes its object with a table such as

    CONTEXT_INFO = {CL_CONTEXT_NUM_DEVICES: uint(lambda c: len(c.devices)), …}

and implements a query with `answer(CONTEXT_INFO, context, param_name, …)`.
"""

import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from weft.api.handles import publish
from weft.api.memory_access import write_bytes
from weft.runtime.codes import CL_INVALID_VALUE
from weft.runtime.errors import CLError
from weft.runtime.objects import CLObject

Query = Callable[[Any], bytes]
Table = Mapping[int, Query]

_UINT = struct.Struct("=I")
_INT = struct.Struct("=i")
_ULONG = struct.Struct("=Q")
_NAME_BYTES = 64  # CL_NAME_VERSION_MAX_NAME_SIZE


def answer(table: Table, target: Any, param: int, size: int, value: Any, size_ret: Any) -> None:
    """Answer a query about `target`: write its value to `value` and its size to `size_ret`."""
    query = table.get(param)
    if query is None:
        raise CLError(CL_INVALID_VALUE, f"{param:#x} is not a valid param_name for this object")
    give(query(target), size, value, size_ret)


def give(data: bytes, size: int, value: Any, size_ret: Any) -> None:
    """Return `data` to the client. A NULL pointer is skipped; raises if `size` is too small."""
    if value:
        if size < len(data):
            raise CLError(CL_INVALID_VALUE, f"param_value_size must be at least {len(data)}, got {size}")
        write_bytes(value, data)
    if size_ret:
        size_ret[0] = len(data)


def string(get: Callable[[Any], str]) -> Query:
    """A char[] with the final zero."""
    return lambda target: get(target).encode("utf-8", "surrogateescape") + b"\0"


def uint(get: Callable[[Any], int]) -> Query:
    """cl_uint, cl_bool and the 32-bit enumerations."""
    return lambda target: _UINT.pack(get(target))


def uints(get: Callable[[Any], Iterable[int]]) -> Query:
    """cl_uint[]."""
    return lambda target: b"".join(_UINT.pack(value) for value in get(target))


def sint(get: Callable[[Any], int]) -> Query:
    """cl_int."""
    return lambda target: _INT.pack(get(target))


def ulong(get: Callable[[Any], int]) -> Query:
    """cl_ulong, size_t, pointers and the bit fields."""
    return lambda target: _ULONG.pack(get(target))


def ulongs(get: Callable[[Any], Iterable[int]]) -> Query:
    """Arrays of 64-bit values: size_t[], property lists."""
    return lambda target: b"".join(_ULONG.pack(value) for value in get(target))


def obj(get: Callable[[Any], CLObject | None]) -> Query:
    """A handle; NULL for None."""

    def query(target: Any) -> bytes:
        found = get(target)
        return _ULONG.pack(publish(found) if found is not None else 0)

    return query


def objs(get: Callable[[Any], Iterable[CLObject]]) -> Query:
    """An array of handles."""
    return lambda target: b"".join(_ULONG.pack(publish(found)) for found in get(target))


def name_versions(get: Callable[[Any], Iterable[tuple[str, int]]]) -> Query:
    """cl_name_version[]: a version number and a name in 64 bytes."""
    return lambda target: b"".join(
        _UINT.pack(version) + name.encode().ljust(_NAME_BYTES, b"\0") for name, version in get(target)
    )


def constant(query: Callable[[Callable[[Any], Any]], Query], value: Any) -> Query:
    """A query whose value is the same for all objects."""
    data = query(lambda _target: value)(None)
    return lambda _target: data


def version(major: int, minor: int, patch: int = 0) -> int:
    """Return a cl_version."""
    return major << 22 | minor << 12 | patch
