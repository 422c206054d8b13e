"""Decode the words of a SPIR-V module to instructions.

A module is a header of five words and a sequence of instructions. The first word of each has its length and
opcode; the grammar describes the rest (`grammar.py`). Operands become Python values:

    id, literal word                 int
    string                           str
    value of an enumeration          its name, and then its own operands
    mask                             Mask: its value, and the operands of each bit that has any
    number of some type (`OpConstant`, `OpSwitch`)    int, its bits

For any input, the result is a list of instructions whose operands have the right kinds, or InvalidModule.
"""

import struct
from collections.abc import Iterator, Sequence

from weft.dataclasses import dataclass, field
from weft.frontend.spirv.capabilities import IGNORED_SETS, OPENCL_STD, VERSIONS
from weft.frontend.spirv.errors import InvalidModule
from weft.frontend.spirv.grammar import (
    Entry,
    enumeration,
    instructions,
    is_enumeration,
    is_mask,
    opencl_std,
)
from weft.frontend.spirv.source import is_llvm_bitcode, is_spirv

MAGIC = 0x07230203
_HEADER_WORDS = 5
# The largest bound on ids that the specification allows.
MOST_IDS = 0x3FFFFF
_NO_OPERATION = ("SpecConstantOp", "ExtInst", "Constant", "SpecConstant")


@dataclass(frozen=True)
class Mask:
    """A mask; `operands` maps the names of set bits to their operands."""

    value: int = 0
    operands: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.operands


Operand = int | str | Mask


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction; `type` and `result` are 0 if absent; `uses` are the ids among its operands."""

    name: str
    type: int
    result: int
    operands: tuple[Operand, ...]
    uses: tuple[int, ...]
    place: int

    def id(self, index: int) -> int:
        """Return an operand that is an id by the grammar."""
        return self.number(index)

    def number(self, index: int) -> int:
        """Return an operand that is an id or a literal by the grammar; InvalidModule if it is absent."""
        operand = self._operand(index)
        assert isinstance(operand, int)
        return operand

    def _operand(self, index: int) -> Operand:
        if index >= len(self.operands):
            raise InvalidModule(f"Op{self.name}: missing operands")
        return self.operands[index]

    def numbers(self, start: int) -> tuple[int, ...]:
        """Return all operands from `start` on, which are ids or literals."""
        return tuple(operand for operand in self.operands[start:] if isinstance(operand, int))

    def word(self, index: int) -> str:
        """Return an operand that is a string or an enumerant; InvalidModule if it is absent."""
        operand = self._operand(index)
        assert isinstance(operand, str)
        return operand

    def mask(self, index: int) -> Mask:
        """Return an operand that is a mask by the grammar; empty if it is absent."""
        operand = self.operands[index] if index < len(self.operands) else Mask()
        assert isinstance(operand, Mask)
        return operand


@dataclass(frozen=True)
class Words:
    """A module: what its header states, and its instructions in order."""

    version: tuple[int, int]
    bound: int
    instructions: tuple[Instruction, ...]


def read(data: bytes) -> Words:
    """Decode the instructions of a module."""
    words, version, bound = _words(data)
    return Words(version, bound, tuple(_Reader(words, bound).instructions()))


def check_frame(data: bytes) -> None:
    """Raise InvalidModule unless the bytes have a valid header and instruction lengths."""
    words, _, _ = _words(data)
    position = _HEADER_WORDS
    while position < len(words):
        count = words[position] >> 16
        if not count or position + count > len(words):
            raise InvalidModule(f"invalid instruction length of {count} words at word {position}")
        position += count


def _words(data: bytes) -> tuple[tuple[int, ...], tuple[int, int], int]:
    """Return the words of a module in host byte order, its version, and the bound on its ids."""
    if is_llvm_bitcode(data):
        raise InvalidModule("LLVM bitcode (SPIR 1.2 or 2.0) is not supported, only SPIR-V")
    if not is_spirv(data):
        raise InvalidModule("not a SPIR-V module: it does not start with the magic number")
    if len(data) % 4 or len(data) < 4 * _HEADER_WORDS:
        raise InvalidModule(f"the module is truncated: {len(data)} bytes")
    order = "<" if data[0] == MAGIC & 0xFF else ">"
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    version = (words[1] >> 16 & 0xFF, words[1] >> 8 & 0xFF)
    if version not in VERSIONS or words[1] & 0xFF0000FF:
        known = ", ".join(f"{major}.{minor}" for major, minor in VERSIONS)
        raise InvalidModule(f"SPIR-V version {version[0]}.{version[1]} is not supported, only {known}")
    bound = words[3]
    if not 0 < bound <= MOST_IDS:
        raise InvalidModule(f"the id bound must be between 1 and {MOST_IDS}, got {bound}")
    if words[4]:
        raise InvalidModule(f"instruction schema {words[4]} is not supported, only 0")
    return words, version, bound


class _Reader:
    """A cursor over the words, with the context that literals of context-dependent width need."""

    def __init__(self, words: Sequence[int], bound: int) -> None:
        self._words = words
        self._bound = bound
        self._position = _HEADER_WORDS
        self._end = _HEADER_WORDS
        self._name = ""
        self._uses: list[int] = []
        # Words of a literal by the id of its type, and the types of results.
        self._widths: dict[int, int] = {}
        self._types: dict[int, int] = {}
        self._sets: dict[int, str] = {}

    def instructions(self) -> Iterator[Instruction]:
        while self._end < len(self._words):
            yield self._instruction()

    def _instruction(self) -> Instruction:
        place = self._position = self._end
        first = self._words[place]
        count, number = first >> 16, first & 0xFFFF
        entry = instructions().get(number)
        if entry is None:
            raise InvalidModule(f"unknown opcode {number} at word {place}")
        self._name = entry.name
        if entry.needs:
            raise InvalidModule(_needs(f"Op{entry.name}", entry))
        self._position += 1
        self._end = place + count
        if not count or self._end > len(self._words):
            raise self._fault(f"invalid instruction length of {count} words at word {place}")
        self._uses = []
        type = result = 0
        operands: list[Operand] = []
        for kind in entry.operands:
            if kind == "T":
                type = self._id()
            elif kind == "R":
                result = self._plain_id()
            elif kind == "X":
                self._extended(operands, type)
                break
            else:
                self._read(kind, operands, type)
        if entry.name == "ExtInstImport":
            self._sets[result] = str(operands[0])
        if self._position != self._end:
            raise self._fault(f"{self._end - self._position} excess operand words")
        if type and result:
            self._types[result] = type
        if entry.name in ("TypeInt", "TypeFloat"):
            bits = operands[0]
            assert isinstance(bits, int)
            self._widths[result] = 2 if bits > 32 else 1
        return Instruction(entry.name, type, result, tuple(operands), tuple(self._uses), place)

    def _read(self, kind: str, operands: list[Operand], type: int) -> None:
        """Append the operands that one kind in the grammar describes."""
        if kind[-1] == "?":
            if self._position < self._end:
                self._one(kind[:-1], operands, type)
        elif kind[-1] == "*":
            while self._position < self._end:
                for letter in kind[:-1]:
                    self._one(letter, operands, type)
        else:
            self._one(kind, operands, type)

    def _one(self, kind: str, operands: list[Operand], type: int) -> None:
        match kind:
            case "I":
                operands.append(self._id())
            case "L":
                operands.append(self._word())
            case "S":
                operands.append(self._string())
            case "N":
                operands.append(self._number(operands, type))
            case "O":
                self._operation(operands, type)
            case _ if is_mask(kind):
                operands.append(self._mask(kind))
            case _ if is_enumeration(kind):
                self._value(kind, operands, type)
            case _:
                raise AssertionError(kind)

    def _word(self) -> int:
        if self._position >= self._end:
            raise self._fault("missing operands")
        self._position += 1
        return self._words[self._position - 1]

    def _plain_id(self) -> int:
        number = self._word()
        if not 0 < number < self._bound:
            raise self._fault(f"id {number} is not below the bound {self._bound}")
        return number

    def _id(self) -> int:
        number = self._plain_id()
        self._uses.append(number)
        return number

    def _string(self) -> str:
        data = bytearray()
        while True:
            part = struct.pack("<I", self._word())
            data += part
            if 0 in part:
                return bytes(data).partition(b"\0")[0].decode("utf-8", "surrogateescape")

    def _number(self, operands: list[Operand], type: int) -> int:
        """Read a literal with the width of the result type, or of a switch's selector."""
        if not type:
            selector = operands[0]
            assert isinstance(selector, int)
            type = self._types.get(selector, 0)
        width = self._widths.get(type)
        if width is None:
            raise self._fault("the type of a literal is unknown")
        low = self._word()
        return low if width == 1 else low | self._word() << 32

    def _mask(self, kind: str) -> Mask:
        value = self._word()
        operands_of: dict[str, tuple[int, ...]] = {}
        unknown_bits = value
        for bit, entry in sorted(enumeration(kind).items()):
            if not bit or not value & bit:
                continue
            unknown_bits &= ~bit
            if entry.needs:
                raise InvalidModule(_needs(f"{kind} {entry.name} of Op{self._name}", entry))
            parts: list[Operand] = []
            for operand in entry.operands:
                self._one(operand, parts, 0)
            operands_of[entry.name] = tuple(part for part in parts if isinstance(part, int))
        if unknown_bits:
            raise self._fault(f"{kind} has unknown bits {unknown_bits:#x}")
        return Mask(value, operands_of)

    def _value(self, kind: str, operands: list[Operand], type: int) -> None:
        value = self._word()
        entry = enumeration(kind).get(value)
        if entry is None:
            raise self._fault(f"unknown {kind} {value}")
        if entry.needs:
            raise InvalidModule(_needs(f"{kind} {entry.name}", entry))
        operands.append(entry.name)
        for operand in entry.operands:
            self._read(operand, operands, type)

    def _operation(self, operands: list[Operand], type: int) -> None:
        """Read the opcode and the operands inside an `OpSpecConstantOp`."""
        number = self._word()
        entry = instructions().get(number)
        if entry is None or entry.needs or "R" not in entry.operands or entry.name in _NO_OPERATION:
            raise self._fault(f"opcode {number} is not allowed in a constant expression")
        operands.append(entry.name)
        for kind in entry.operands:
            if kind not in ("T", "R"):
                self._read(kind, operands, type)

    def _extended(self, operands: list[Operand], type: int) -> None:
        """Read the name and operands of an extended instruction; for an ignored set, read words only."""
        set_id = operands[0]
        assert isinstance(set_id, int)
        name = self._sets.get(set_id, "")
        number = self._word()
        if name != OPENCL_STD:
            if not name.startswith(IGNORED_SETS):
                raise self._fault("the extended instruction set is not imported")
            operands.append("")
            self._read("L*", operands, type)
            return
        entry = opencl_std().get(number)
        if entry is None:
            raise self._fault(f"{OPENCL_STD} has no instruction {number}")
        operands.append(entry.name)
        for kind in entry.operands:
            self._read(kind, operands, type)

    def _fault(self, text: str) -> InvalidModule:
        return InvalidModule(f"Op{self._name}: {text}" if self._name else text)


def _needs(what: str, entry: Entry) -> str:
    return f"{what} needs the capability {' or '.join(entry.needs)}, which is not supported"
