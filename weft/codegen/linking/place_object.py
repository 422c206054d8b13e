"""Place the sections of an object file at addresses, and resolve its relocations for them.

This linker serves code that runs in this process (`codegen/load.py`) and code on devices with separate memory
(`device/region.py`). Executable and read-only sections go to one place, variables to another, at most 2 GiB
away. Calls of external functions go through stubs, which jump through a table of addresses:

    call memcpy   ->   call stub;   stub: jmp *[entry of memcpy]

The architecture-dependent parts are in the files next to this one. The object comes from Weft's compiler or
from the cache; a corrupt one is a ToolError.
"""

import struct
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from weft.codegen.linking import MACHINES, Fixup, Machine
from weft.dataclasses import dataclass, field
from weft.errors import ToolError

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QIIq")
_RELOCATABLE = 1
_SYMBOLS, _NO_BITS, _WITH_ADDENDS = 2, 8, 4  # types of sections
_WRITABLE, _ALLOCATED, _EXECUTABLE, _THREAD_LOCAL = 1, 2, 4, 0x400  # flags of sections
_UNDEFINED, _ABSOLUTE, _FIRST_RESERVED = 0, 0xFFF1, 0xFF00
_POINTER_BYTES = 8
_LARGEST = 1 << 30
# Names of tables that a linker creates: of addresses, and PowerPC's, to whose middle the name refers.
_GLOBAL_OFFSET_TABLE, _TABLE_OF_CONTENTS = "_GLOBAL_OFFSET_TABLE_", ".TOC."
_CONTENTS_SECTION, _CONTENTS_MIDDLE = ".toc", 0x8000
_UNWINDING = ".eh_frame"  # nothing unwinds kernels


@dataclass(frozen=True)
class _Section:
    name: str
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int

    @property
    def is_placed(self) -> bool:
        return bool(self.flags & _ALLOCATED and self.size) and self.name != _UNWINDING


@dataclass(frozen=True)
class _Symbol:
    name: str
    section: int
    value: int
    other: int

    @property
    def local_entry(self) -> int:
        """Offset from the symbol at which callers in the same object enter it; only PowerPC has one."""
        power = self.other >> 5
        return 1 << power if power > 1 else 0


@dataclass(frozen=True)
class PlacedObject:
    """The bytes of an object at its two locations, and the addresses of its symbols."""

    code: bytes
    variables: bytes
    symbols: Mapping[str, int]


@dataclass
class _Part:
    """The contents of one location: sections, then stubs or addresses."""

    offsets: dict[int, int] = field(default_factory=dict)
    size: int = 0

    def add(self, number: int, size: int, alignment: int) -> None:
        self.size = -(-self.size // alignment) * alignment
        self.offsets[number] = self.size
        self.size += size


class Detours(Protocol):
    """Instructions that must be executed at another address than their own.

    `copy_bytes` is a power of two to which copies are aligned, so none crosses a page.
    """

    copy_bytes: int

    def find(self, code: bytes) -> Sequence[int]:
        """Return the offsets of these instructions in code."""

    def jump(self, distance: int) -> bytes:
        """Return the jump that replaces an instruction, given the distance of its copy; raises ToolError."""

    def copy(self, instruction: bytes, distance: int) -> bytes:
        """Return the contents of a copy, given the distance to the instruction's own address."""


class ObjectFile:
    """A relocatable object, read and laid out; `place` creates its bytes once the addresses are known."""

    def __init__(
        self,
        data: bytes,
        variables: Mapping[str, int] = MappingProxyType({}),
        detours: Detours | None = None,
    ) -> None:
        """`variables`: addresses of variables that it may refer to without defining them."""
        self._data = data
        self._known = variables
        self._avoided = detours
        try:
            self._read()
        except (struct.error, ValueError, IndexError) as error:
            raise ToolError(f"the object code is corrupt: {error}") from error
        self._lay_out()

    @property
    def code_bytes(self) -> int:
        """The size of the part that is executed or read."""
        return self._code.size

    @property
    def variable_bytes(self) -> int:
        """The size of the part that is written."""
        return self._variables.size

    @property
    def alignment(self) -> int:
        """The alignment of both addresses."""
        copies = self._avoided.copy_bytes if self._avoided is not None else 1
        return max((_POINTER_BYTES, copies, *(s.alignment for s in self._sections if s.is_placed)))

    @property
    def undefined(self) -> list[str]:
        """The names that the object refers to without defining them."""
        names = dict.fromkeys(s.name for s in self._symbols[1:] if s.section == _UNDEFINED)
        tables = (_GLOBAL_OFFSET_TABLE, _TABLE_OF_CONTENTS)
        return [name for name in names if name not in tables and name not in self._known]

    def place(
        self, code_at: int, variables_at: int, entries: Mapping[str, int], defined: Mapping[str, int]
    ) -> PlacedObject:
        """Return the object relocated to these addresses.

        `entries` has, for each function that it may import, the address of the table entry that holds the
        function's address; `defined` has the addresses of functions that were placed earlier.
        """
        self._starts = {n: code_at + o for n, o in self._code.offsets.items()}
        self._starts |= {n: variables_at + o for n, o in self._variables.offsets.items()}
        self._code_at, self._entries, self._defined = code_at, entries, defined
        contents = (start for n, start in self._starts.items() if self._sections[n].name == _CONTENTS_SECTION)
        self._base = next(contents, variables_at) + _CONTENTS_MIDDLE
        code, variables = bytearray(self.code_bytes), bytearray(self.variable_bytes)
        for part, image in ((self._code, code), (self._variables, variables)):
            for number, offset in part.offsets.items():
                section = self._sections[number]
                if section.kind != _NO_BITS:
                    image[offset : offset + section.size] = self._bytes(section)
        self._write_stubs(code)
        for section in self._sections:
            if section.kind == _WITH_ADDENDS and self._sections[section.info].is_placed:
                in_code = section.info in self._code.offsets
                part, image = (self._code, code) if in_code else (self._variables, variables)
                self._relocate(section, image, part.offsets[section.info])
        self._write_detours(code)
        symbols = {s.name: self._address(s) for s in self._symbols if s.name and s.section in self._starts}
        return PlacedObject(bytes(code), bytes(variables), symbols)

    # Reading

    def _read(self) -> None:
        data = self._data
        ident, kind, machine, _, _, _, table, _, _, _, _, size, count, names = _HEADER.unpack_from(data)
        if ident[:6] != b"\x7fELF\x02\x01" or kind != _RELOCATABLE or machine not in MACHINES:
            raise ValueError("it is not a relocatable ELF file for a processor that Weft knows")
        self._machine: Machine = MACHINES[machine]
        if size != _SECTION.size:
            raise ValueError("its table of sections has another form")
        rows = [_SECTION.unpack_from(data, table + number * size) for number in range(count)]
        for _, section_kind, _, _, offset, length, *_ in rows:
            if section_kind != _NO_BITS and offset + length > len(data):
                raise ValueError("it is truncated")
        texts = rows[names][4]
        self._sections = [
            _Section(self._text(texts + row[0]), row[1], row[2], row[4], row[5], row[6], row[7], row[8] or 1)
            for row in rows
        ]
        self._symbols: list[_Symbol] = []
        for section in self._sections:
            if section.kind == _SYMBOLS:
                texts = self._sections[section.link].offset
                for name, _, other, index, value, _ in _SYMBOL.iter_unpack(self._bytes(section)):
                    self._symbols.append(_Symbol(self._text(texts + name), index, value, other))
            if section.kind == _WITH_ADDENDS and not 0 <= section.info < count:
                raise ValueError("relocations of no section")

    def _bytes(self, section: _Section) -> bytes:
        return self._data[section.offset : section.offset + section.size]

    def _text(self, offset: int) -> str:
        return self._data[offset : self._data.index(b"\0", offset)].decode()

    def _lay_out(self) -> None:
        self._code, self._variables = _Part(), _Part()
        for number, section in enumerate(self._sections):
            if not section.is_placed:
                continue
            if section.flags & _THREAD_LOCAL or section.alignment & (section.alignment - 1):
                raise ToolError(f"section {section.name!r} cannot be placed")
            part = self._variables if section.flags & _WRITABLE else self._code
            part.add(number, section.size, section.alignment)
        if max(self._code.size, self._variables.size) > _LARGEST:
            raise ToolError("the object code is too large")
        # A stub for each undefined function, then an entry for each symbol that is accessed through the
        # table.
        self._code.size = -(-self._code.size // _POINTER_BYTES) * _POINTER_BYTES
        stub_bytes = self._machine.stub_bytes
        self._stubs = {
            name: self._code.size + n * stub_bytes for n, name in enumerate(sorted(set(self.undefined)))
        }
        self._code.size += len(self._stubs) * stub_bytes
        self._addresses: dict[int, int] = {}
        for section in self._sections:
            if section.kind == _WITH_ADDENDS and self._sections[section.info].is_placed:
                for _, kind, symbol, _ in self._relocations(section):
                    if kind in self._machine.by_table and symbol not in self._addresses:
                        self._addresses[symbol] = self._code.size
                        self._code.size += _POINTER_BYTES
        self._detours: dict[int, int] = {}
        if self._avoided is not None:
            self._code.size = -(-self._code.size // self._avoided.copy_bytes) * self._avoided.copy_bytes
            for number, start in self._code.offsets.items():
                if self._sections[number].flags & _EXECUTABLE:
                    for offset in self._avoided.find(self._bytes(self._sections[number])):
                        self._detours[start + offset] = self._code.size
                        self._code.size += self._avoided.copy_bytes

    def _relocations(self, section: _Section) -> list[tuple[int, int, int, int]]:
        try:
            rows = list(_RELOCATION.iter_unpack(self._bytes(section)))
        except struct.error as error:
            raise ToolError(f"the object code is corrupt: {error}") from error
        if any(symbol >= len(self._symbols) for _, _, symbol, _ in rows):
            raise ToolError("the object code is corrupt: a relocation has no symbol")
        return rows

    # Placing

    def _write_stubs(self, code: bytearray) -> None:
        for name, offset in self._stubs.items():
            address = self._defined.get(name) or self._entries.get(name)
            if not address:
                raise ToolError(f"undefined functions: {name}")
            stub = self._machine.stub(self._code_at + offset, address, name not in self._defined)
            code[offset : offset + len(stub)] = stub
        for number, offset in self._addresses.items():
            address = self._address(self._symbols[number])
            code[offset : offset + _POINTER_BYTES] = address.to_bytes(_POINTER_BYTES, "little")

    def _write_detours(self, code: bytearray) -> None:
        for place, copy in self._detours.items():
            assert self._avoided is not None
            jump = self._avoided.jump(copy - place)
            instruction = bytes(code[place : place + len(jump)])
            code[copy : copy + self._avoided.copy_bytes] = self._avoided.copy(instruction, place - copy)
            code[place : place + len(jump)] = jump

    def _address(self, symbol: _Symbol) -> int:
        """Return the address of a symbol; for an undefined function, that of its stub."""
        if symbol.name == _TABLE_OF_CONTENTS:
            return self._base
        if symbol.section == _UNDEFINED:
            if symbol.name in self._known:
                return self._known[symbol.name]
            if symbol.name not in self._stubs:
                raise ToolError(f"the object code refers to {symbol.name!r}")
            return self._code_at + self._stubs[symbol.name]
        if symbol.section == _ABSOLUTE:
            return symbol.value
        if symbol.section not in self._starts:
            raise ToolError(f"symbol {symbol.name!r} is in a section that is not loaded")
        return self._starts[symbol.section] + symbol.value

    def _relocate(self, relocations: _Section, image: bytearray, base: int) -> None:
        target = self._sections[relocations.info]
        start = self._starts[relocations.info]
        section = image[base : base + target.size]
        self._machine.apply(
            section, [self._fixup(start, *row) for row in self._relocations(relocations)], self._base
        )
        image[base : base + target.size] = section

    def _fixup(self, start: int, offset: int, kind: int, number: int, addend: int) -> Fixup:
        symbol = self._symbols[number]
        table = self._addresses.get(number) if kind in self._machine.by_table else None
        return Fixup(
            offset=offset,
            kind=kind,
            here=start + offset,
            symbol=self._address(symbol) if number else 0,
            addend=addend,
            entry=self._code_at + table if table is not None else 0,
            imported=symbol.section == _UNDEFINED,
            local_entry=symbol.local_entry,
        )
