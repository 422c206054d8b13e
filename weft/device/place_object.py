"""Place the sections of an object file at addresses, and resolve its relocations for them.

This is the linker of devices that do not execute code where the compiler's process has it. Sections that are
executed or only read go to one place, variables to another, at most 2 GiB away. Calls of functions that the
object does not define go through stubs, which jump to what a table of addresses says:

    call memcpy   ->   call stub;   stub: jmp *[entry of memcpy]

The object comes from Weft's own compiler for this processor, or from the cache; a damaged one is a ToolError.
"""

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from weft.errors import ToolError

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QIIq")
_X86_64 = 62
_RELOCATABLE = 1
_SYMBOLS, _NO_BITS, _WITH_ADDENDS = 2, 8, 4  # types of sections
_WRITABLE, _ALLOCATED, _EXECUTABLE, _THREAD_LOCAL = 1, 2, 4, 0x400  # flags of sections
_UNDEFINED, _ABSOLUTE, _FIRST_RESERVED = 0, 0xFFF1, 0xFF00
_STUB = b"\xff\x25"  # jmp *[rip + 32 bits]
_STUB_BYTES = 8
_POINTER_BYTES = 8
_LARGEST = 1 << 30
_GLOBAL_OFFSET_TABLE = "_GLOBAL_OFFSET_TABLE_"

R_64, R_PC32, R_PLT32, R_GOTPCREL, R_PC64, R_GOTPCRELX, R_REX_GOTPCRELX = 1, 2, 4, 9, 24, 41, 42
_BY_TABLE = (R_GOTPCREL, R_GOTPCRELX, R_REX_GOTPCRELX)
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


@dataclass(frozen=True)
class PlacedObject:
    """The bytes of an object at its two places, and the addresses of its symbols."""

    code: bytes
    variables: bytes
    symbols: Mapping[str, int]


@dataclass
class _Part:
    """What goes to one place: sections, then stubs or addresses."""

    offsets: dict[int, int] = field(default_factory=dict)
    size: int = 0

    def add(self, number: int, size: int, alignment: int) -> None:
        self.size = -(-self.size // alignment) * alignment
        self.offsets[number] = self.size
        self.size += size


class ObjectFile:
    """A relocatable object, read and laid out; `place` makes the bytes once the places are known."""

    def __init__(self, data: bytes, variables: Mapping[str, int] = MappingProxyType({})) -> None:
        """`variables`: addresses of variables that it may refer to without defining them."""
        self._data = data
        self._known = variables
        try:
            self._read()
        except (struct.error, ValueError, IndexError) as error:
            raise ToolError(f"the object code is damaged: {error}") from error
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
        """What both addresses must be multiples of."""
        return max((s.alignment for s in self._sections if s.is_placed), default=1)

    @property
    def undefined(self) -> list[str]:
        """The names that the object refers to without defining them."""
        found = dict.fromkeys(s.name for s in self._symbols[1:] if s.section == _UNDEFINED)
        return [name for name in found if name != _GLOBAL_OFFSET_TABLE and name not in self._known]

    def place(
        self, code_at: int, variables_at: int, entries: Mapping[str, int], defined: Mapping[str, int]
    ) -> PlacedObject:
        """The object at these addresses.

        `entries` has, for each function that it may import, the address of the table's entry that holds the
        function's own; `defined` the addresses of functions that were placed before.
        """
        self._starts = {n: code_at + o for n, o in self._code.offsets.items()}
        self._starts |= {n: variables_at + o for n, o in self._variables.offsets.items()}
        self._code_at, self._entries, self._defined = code_at, entries, defined
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
        symbols = {s.name: self._address(s) for s in self._symbols if s.name and s.section in self._starts}
        return PlacedObject(bytes(code), bytes(variables), symbols)

    # Reading

    def _read(self) -> None:
        data = self._data
        ident, kind, machine, _, _, _, table, _, _, _, _, size, count, names = _HEADER.unpack_from(data)
        if ident[:6] != b"\x7fELF\x02\x01" or kind != _RELOCATABLE or machine != _X86_64:
            raise ValueError("it is not a relocatable ELF file for x86-64")
        if size != _SECTION.size:
            raise ValueError("its table of sections has another form")
        rows = [_SECTION.unpack_from(data, table + number * size) for number in range(count)]
        for _, section_kind, _, _, offset, length, *_ in rows:
            if section_kind != _NO_BITS and offset + length > len(data):
                raise ValueError("it is cut short")
        texts = rows[names][4]
        self._sections = [
            _Section(self._text(texts + row[0]), row[1], row[2], row[4], row[5], row[6], row[7], row[8] or 1)
            for row in rows
        ]
        self._symbols: list[_Symbol] = []
        for section in self._sections:
            if section.kind == _SYMBOLS:
                texts = self._sections[section.link].offset
                for name, _, _, index, value, _ in _SYMBOL.iter_unpack(self._bytes(section)):
                    self._symbols.append(_Symbol(self._text(texts + name), index, value))
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
        # A stub for each undefined function, then an address for each symbol that is asked for by address.
        self._code.size = -(-self._code.size // _STUB_BYTES) * _STUB_BYTES
        self._stubs = {
            name: self._code.size + n * _STUB_BYTES for n, name in enumerate(sorted(set(self.undefined)))
        }
        self._code.size += len(self._stubs) * _STUB_BYTES
        self._addresses: dict[int, int] = {}
        for section in self._sections:
            if section.kind == _WITH_ADDENDS and self._sections[section.info].is_placed:
                for _, kind, symbol, _ in self._relocations(section):
                    if kind in _BY_TABLE and symbol not in self._addresses:
                        self._addresses[symbol] = self._code.size
                        self._code.size += _POINTER_BYTES

    def _relocations(self, section: _Section) -> list[tuple[int, int, int, int]]:
        try:
            found = list(_RELOCATION.iter_unpack(self._bytes(section)))
        except struct.error as error:
            raise ToolError(f"the object code is damaged: {error}") from error
        if any(symbol >= len(self._symbols) for _, _, symbol, _ in found):
            raise ToolError("the object code is damaged: a relocation has no symbol")
        return found

    # Placing

    def _write_stubs(self, code: bytearray) -> None:
        for name, offset in self._stubs.items():
            if name in self._defined:
                distance = self._defined[name] - (self._code_at + offset + 5)
                code[offset : offset + 5] = b"\xe9" + _word(distance)
            elif name in self._entries:
                distance = self._entries[name] - (self._code_at + offset + 6)
                code[offset : offset + 6] = _STUB + _word(distance)
            else:
                raise ToolError(f"undefined functions: {name}")
        for number, offset in self._addresses.items():
            address = self._address(self._symbols[number])
            code[offset : offset + _POINTER_BYTES] = address.to_bytes(_POINTER_BYTES, "little")

    def _address(self, symbol: _Symbol) -> int:
        """Where a symbol is; a function that is not defined here is where its stub is."""
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
        for offset, kind, number, addend in self._relocations(relocations):
            symbol = self._symbols[number]
            here = start + offset
            if kind == R_64:
                value, write = self._address(symbol) + addend, _long
            elif kind == R_PC64:
                value, write = self._address(symbol) + addend - here, _long
            elif kind in (R_PC32, R_PLT32):
                value, write = self._address(symbol) + addend - here, _word
            elif kind in _BY_TABLE:
                value, write = self._code_at + self._addresses[number] + addend - here, _word
            else:
                raise ToolError(f"relocations of type {kind} are not supported")
            _store(image, base, target.size, offset, write, value)


def _store(
    image: bytearray, base: int, size: int, offset: int, write: Callable[[int], bytes], value: int
) -> None:
    data = write(value)
    if offset + len(data) > size:
        raise ToolError("the object code is damaged: a relocation lies outside of its section")
    image[base + offset : base + offset + len(data)] = data


def _word(value: int) -> bytes:
    if not -(1 << 31) <= value < 1 << 31:
        raise ToolError("the object code has an address that 32 bits do not reach")
    return struct.pack("<i", value)


def _long(value: int) -> bytes:
    return struct.pack("<Q", value & (1 << 64) - 1)
