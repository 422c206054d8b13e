"""Load object code with LLVM's LLJIT, one library per object. See `load.py`."""

import itertools
import struct
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from weft.codegen import support
from weft.codegen.binding import complaints, llvm
from weft.codegen.host import host_target
from weft.codegen.imports import IMPORTS, process_address
from weft.codegen.machine import machine
from weft.codegen.optimise import emit_here
from weft.errors import ToolError
from weft.frontend.target import with_layout
from weft.target import Target

# An LLJIT keeps some 9 KB of records for every library it ever loaded, and frees them only when it is
# destroyed. So it is replaced after this many loads; an old one lives as long as code that it loaded.
_LOADS_PER_JIT = 32

# Numbers for the names of libraries: an LLJIT does not accept a name twice, even after the first library is
# unloaded.
_library_numbers = itertools.count()


class LoadedCode:
    """Machine code in memory; it is unloaded with this object."""

    def __init__(self, symbol: str, tracker: Any, data: str | None = None) -> None:
        self.symbol = symbol
        self.address: int = tracker[symbol]
        self.data_address: int = tracker[data] if data is not None else 0
        self._tracker = tracker  # llvmlite unloads the code when the tracker is collected

    def __repr__(self) -> str:
        return f"<LoadedCode {self.symbol} at {self.address:#x}>"


def load(
    object_code: bytes,
    symbol: str,
    imports: Mapping[str, int] | None = None,
    data: str | None = None,
    variables: Mapping[str, int] = MappingProxyType({}),
) -> LoadedCode:
    """Load an object file; find `symbol` in it, and the variable `data` if given.

    `imports`: addresses of other functions that it may call; `variables`: addresses of variables that it may
    refer to without defining them.
    """
    symbols = (symbol,) if data is None else (symbol, data)
    return LoadedCode(symbol, _link(object_code, symbols, {**(imports or {}), **variables}), data)


def undefined_symbols(object_code: bytes) -> list[str]:
    """Return the names that an ELF object file refers to without defining them."""
    try:
        return list(_undefined_symbols(object_code))
    except (struct.error, UnicodeDecodeError, ValueError) as error:
        raise ToolError(f"the object code is corrupt: {error}") from error


def _link(object_code: bytes, symbols: tuple[str, ...], imports: Mapping[str, int]) -> Any:
    builder = llvm().JITLibraryBuilder().add_object_img(object_code)
    for symbol in symbols:
        builder.export_symbol(symbol)
    missing = []
    for name in undefined_symbols(object_code):
        address = imports.get(name) or IMPORTS.get(name) or _known_address(name)
        if address:
            builder.import_symbol(name, address)
        else:
            missing.append(name)
    if missing:
        raise ToolError(f"undefined functions: {', '.join(missing)}")
    with complaints(f"load {', '.join(symbols)}"):
        number = next(_library_numbers)
        return builder.link(_jit(number // _LOADS_PER_JIT), f"weft.{number}")


@lru_cache(maxsize=1)
def _jit(generation: int) -> Any:
    # Errors are raised as exceptions, so LLVM need not print them.
    return llvm().create_lljit_compiler(machine(host_target()), use_jit_link=True, suppress_errors=True)


def _known_address(name: str) -> int | None:
    if name in support.SYMBOLS:
        address: int = _support()[name]
        return address
    return process_address(name)


@cache
def _support() -> Any:
    return _link(support_object(None), support.SYMBOLS, {})


def support_object(target: Target | None) -> bytes:
    """Return the object code of routines that LLVM calls and no library has (target None: the host)."""
    # The routines are exported: with no export list, all symbols keep their linkage.
    return emit_here([support.MODULE], target or host_target(), 2, ())


def data_object(module: str, target: Target | None) -> bytes:
    """Return the object code of a module of variables (target None: the host)."""
    target = target or host_target()
    # Only data. With no export list all symbols keep their linkage, so LLVM does not treat variables as
    # constants.
    return emit_here([with_layout(module, target)], target, 0, ())


def _undefined_symbols(data: bytes) -> Iterator[str]:
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("it is not a 64-bit little-endian ELF file")
    (table,) = struct.unpack_from("<Q", data, 0x28)
    entry_size, count = struct.unpack_from("<HH", data, 0x3A)

    def section(index: int) -> tuple[int, int, int, int]:
        """Type, offset, size and linked section of section `index`."""
        kind, offset, size, link = struct.unpack_from("<4xI16xQQI", data, table + index * entry_size)
        if kind != _SHT_NOBITS and offset + size > len(data):
            raise ValueError("it is truncated")
        return kind, offset, size, link

    for kind, offset, size, link in map(section, range(count)):
        if kind != _SHT_SYMTAB:
            continue
        _, names, _, _ = section(link)
        for symbol in range(offset + _SYMBOL_SIZE, offset + size, _SYMBOL_SIZE):
            name, section_index = struct.unpack_from("<IxxH", data, symbol)
            if section_index == 0:
                text = data[names + name : data.index(b"\0", names + name)].decode()
                # JITLink defines this symbol.
                if text != "_GLOBAL_OFFSET_TABLE_":
                    yield text


_SHT_SYMTAB = 2
_SHT_NOBITS = 8
_SYMBOL_SIZE = 24
