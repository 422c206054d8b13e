"""Machine code written by one process and executed by another, in memory that both map at the same addresses.

The memory begins with a table of addresses of functions in the process that executes the code.
"""

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from weft.codegen.imports import IMPORTS, process_address
from weft.codegen.linking.place_object import ObjectFile
from weft.dataclasses import dataclass
from weft.device._pool import ffi
from weft.device.server_imports import NAMES
from weft.errors import ToolError
from weft.target import Target

_POINTER_BYTES = 8
_PROCESSORS = ("x86_64",)  # which need no instruction cache flush for new code


def import_addresses() -> list[int]:
    """Return the table: addresses in this process of functions that code may call, 0 for missing ones."""
    return [IMPORTS.get(name) or process_address(name) or 0 for name in NAMES]


@dataclass(frozen=True, eq=False)
class SharedCode:
    """Code in the shared memory, which is never freed."""

    address: int
    data_address: int


class SharedLoader:
    """Loads code into the memory that the other process executes."""

    target: Target | None = None
    is_usable = os.uname().machine in _PROCESSORS

    def __init__(self, region: Any) -> None:
        self._entries = {name: region.at + n * _POINTER_BYTES for n, name in enumerate(NAMES)}
        self._code = region.at + region.table_bytes
        self._data = self._code_end = self._code + region.code_bytes
        self._data_end = self._data + region.data_bytes

    def load(
        self,
        object_code: bytes,
        symbol: str,
        *,
        data: str | None = None,
        variables: Mapping[str, int] = MappingProxyType({}),
    ) -> SharedCode:
        """Load an object file, and find `symbol` and, if not None, the variable `data` in it."""
        file = ObjectFile(object_code, variables)
        unit = file.alignment
        code_at, data_at = (-(-place // unit) * unit for place in (self._code, self._data))
        if code_at + file.code_bytes > self._code_end or data_at + file.variable_bytes > self._data_end:
            raise ToolError("out of memory for code that is shared with another process")
        placed = file.place(code_at, data_at, self._entries, {})
        for at, content in ((code_at, placed.code), (data_at, placed.variables)):
            ffi.memmove(ffi.cast("char *", at), content, len(content))
        self._code, self._data = code_at + file.code_bytes, data_at + file.variable_bytes
        try:
            return SharedCode(placed.symbols[symbol], placed.symbols[data] if data else 0)
        except KeyError as error:
            raise ToolError(f"the object code does not define {error}") from None
