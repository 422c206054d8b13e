"""The words that represent the values of a function, including constants, parameters and addresses."""

from collections.abc import Mapping

from weft import ir
from weft.dataclasses import dataclass
from weft.ir import Constant, Function, GlobalVariable, Instruction
from weft.ir.addresses import offset_terms
from weft.ir.loops import loop_forest
from weft.ir.printer import print_instruction
from weft.ir.types import (
    ArrayType,
    FloatType,
    IntType,
    NamedType,
    PointerType,
    StructType,
    Type,
    VectorType,
    alignment_of,
    field_offset,
    size_of,
    struct_body,
)
from weft.ir.values import (
    ConstantAggregate,
    ConstantExpression,
    ConstantFloat,
    ConstantInt,
    ConstantString,
    ConstantZero,
    Poison,
    Undef,
    constant_of,
)

from .arithmetic import Arithmetic
from .builder import Builder
from .code import Access, Block, Code, Operand, Value
from .errors import Refused
from .machine import Machine
from .operations import WORD

Parts = list[Operand]
"""The words of a value: one per element, or two (low word first) for 64-bit elements."""
MOST_TERMS = 12
# Operations whose high words depend only on the high words of their operands.
SAME_HIGH = ("add", "sub", "mul", "and", "or", "xor", "shl", "phi", "select", "freeze", "insertelement")


@dataclass(frozen=True)
class MemoryMap:
    """Addresses of data outside buffers; `end` is the start of the stack."""

    launch: int
    args: int
    local: int
    groups: int
    end: int


class Values(Arithmetic):
    """Maps the values of a function to words."""

    def __init__(self, function: Function, machine: Machine, places: MemoryMap) -> None:
        assert function.module is not None
        self.function, self.module, self.places = function, function.module, places
        self.code = Code([], 0, 0)
        super().__init__(Builder(self.code, machine))
        self.blocks: dict[ir.Block, Block] = {}
        self.ends: dict[ir.Block, Block] = {}
        self.parts: dict[ir.Value, Parts] = {}
        self.needs_high = needs_high_words(function)
        self.memory = places.end
        self.data: dict[int, bytes] = {}
        self.globals: dict[GlobalVariable, int] = {}
        self.value_depth: dict[Value, int] = {}
        loops = loop_forest(function)
        self.depth = {block: loops.depth(block) for block in function.blocks}

    def _parameters(self) -> None:
        entry = self.blocks[self.function.entry]
        self.build.at(entry)
        launch, args, local, _, *groups = self.function.arguments
        for argument, place in (
            (launch, self.places.launch),
            (args, self.places.args),
            (local, self.places.local),
        ):
            self.parts[argument] = [place]
        for number, argument in enumerate(groups):
            if argument.users:
                at = self.places.groups + 4 * number
                self.parts[argument] = [self.build.load(4, at, Access("launch", None, at, 4)), 0]

    def _new_parts(self, value: ir.Value) -> Parts:
        """Return a placeholder for each word of a value that is computed."""
        type = value.type
        count = type.count if isinstance(type, VectorType) else 1
        words = self._words(type.scalar, value)
        return [0] * (count * words)

    def _words(self, scalar: Type, where: object) -> int:
        if isinstance(scalar, IntType):
            if scalar.bits <= 32:
                return 1
            if scalar.bits <= 64:
                return 2 if where in self.needs_high or not isinstance(where, Instruction) else 1
        if isinstance(scalar, PointerType):
            return 1
        if isinstance(scalar, FloatType) and scalar.kind in ("float", "double"):
            return scalar.bits // 32
        words = f"numbers of type {scalar}"
        raise self._refused(where if isinstance(where, Instruction) else None, words)

    def _refused(self, instruction: Instruction | None, what: str) -> Refused:
        where = f" (`{print_instruction(instruction).strip()}`)" if instruction is not None else ""
        return Refused(f"the machine {self.build.machine.name} cannot compute with {what}{where}")

    def get(self, value: ir.Value) -> Parts:
        """Return the words of a value; of a 64-bit value whose high word is unused, only the low words."""
        parts = self.parts.get(value)
        if parts is None:
            if isinstance(value, GlobalVariable):
                parts = [self._variable(value)]
            elif isinstance(value, Constant):
                parts = self._constant(value)
            else:
                raise self._refused(None, f"the value %{value.name}")
            if not isinstance(value, Constant):
                self.parts[value] = parts
        return parts

    def low(self, value: ir.Value) -> Parts:
        """Return the low word of each element."""
        parts = self.get(value)
        count = value.type.count if isinstance(value.type, VectorType) else 1
        return parts[:: len(parts) // count]

    def pair(self, value: ir.Value, element: int = 0) -> tuple[Operand, Operand]:
        """Return both words of an element of more than 32 bits; bits above its width are undefined."""
        parts = self.get(value)
        return parts[2 * element], parts[2 * element + 1]

    def extended_pair(self, value: ir.Value, element: int, signed: bool) -> tuple[Operand, Operand]:
        """Return both words of an element of more than 32 bits, extended to 64 bits."""
        low, high = self.pair(value, element)
        bits = bits_of(value.type) - 32
        return low, self._sign_extended(high, bits) if signed else self._extended_part(high, bits)

    def _constant(self, value: Constant) -> Parts:
        scalar = value.type.scalar
        count = value.type.count if isinstance(value.type, VectorType) else 1
        match value:
            case ConstantInt():
                if value.type.bits > 64:
                    raise self._refused(None, f"numbers of type {value.type}")
                return [value.value] if value.type.bits <= 32 else [value.value & WORD, value.value >> 32]
            case ConstantFloat():
                if value.type.kind not in ("float", "double"):
                    raise self._refused(None, f"numbers of type {value.type}")
                return [value.bits] if value.type.kind == "float" else [value.bits & WORD, value.bits >> 32]
            case ConstantZero() | Undef() | Poison():
                return [0] * (count * (2 if bits_of(scalar) > 32 else 1))
            case ConstantAggregate() if value.type.is_vector:
                return [part for element in value.elements for part in self.get(element)]
            case ConstantExpression() if value.opcode == "getelementptr":
                return [self._address(value.operands, value.attributes["element_type"], None)]
            case ConstantExpression() if value.opcode in ("addrspacecast", "inttoptr", "bitcast"):
                return self.low(value.operands[0])
            case ConstantExpression() if value.opcode == "ptrtoint":
                return [*self.low(value.operands[0]), 0]
        raise self._refused(None, f"a constant of type {value.type}")

    def _variable(self, variable: GlobalVariable) -> int:
        """Return the address of a constant of the program, placing the constant in memory."""
        if variable not in self.globals:
            if variable.initializer is None or not variable.is_constant:
                raise self._refused(None, f"the variable @{variable.name} of the program")
            at = self._allocate(size_of(variable.value_type), alignment_of(variable.value_type))
            self.globals[variable] = at
            self.data[at] = self._bytes(variable.initializer, size_of(variable.value_type))
        return self.globals[variable]

    def _bytes(self, initializer: ir.Value, size: int) -> bytes:
        """Return the memory image of a constant; aggregates are flattened."""
        image = bytearray(size)
        work: list[tuple[ir.Value, int]] = [(initializer, 0)]
        while work:
            value, at = work.pop()
            type = value.type
            match value:
                case ConstantZero() | Undef() | Poison():
                    continue
                case ConstantString():
                    image[at : at + len(value.data)] = value.data
                case ConstantInt():
                    width = size_of(type)
                    image[at : at + width] = value.value.to_bytes(width, "little")
                case ConstantFloat():
                    image[at : at + size_of(type)] = value.bits.to_bytes(size_of(type), "little")
                case ConstantAggregate():
                    for number, element in enumerate(value.elements):
                        if isinstance(type, StructType | NamedType):
                            work.append((element, at + field_offset(struct_body(type), number)))
                        else:
                            assert isinstance(type, ArrayType | VectorType)
                            work.append((element, at + number * size_of(type.element)))
                case _:
                    address = self.get(value)[0]
                    assert isinstance(address, int)
                    image[at : at + 8] = address.to_bytes(8, "little")
        return bytes(image)

    def _allocate(self, size: int, alignment: int) -> int:
        at = -(-self.memory // max(alignment, 4)) * max(alignment, 4)
        self.memory = at + size
        return at

    def _record(self, instruction: Instruction, parts: Parts) -> None:
        self.parts[instruction] = parts
        depth = self.depth.get(instruction.parent, 0)
        for part in parts:
            if isinstance(part, Value):
                self.value_depth.setdefault(part, depth)

    def _address(
        self, operands: "tuple[ir.Value, ...] | list[ir.Value]", element: Type, here: object
    ) -> Operand:
        """Return the sum of a pointer and indices modulo 2^32, added in order of their loop depth."""
        number, terms = 0, dict[Operand, int]()
        work: list[tuple[ir.Value, int]] = [(operands[0], 1)]
        for index, size in offset_terms(element, list(operands[1:])):
            if index is None:
                number += size
            else:
                work.append((index, size))
        while work:
            value, factor = work.pop()
            parts = self._summands(value, here) if len(terms) + len(work) < MOST_TERMS else None
            if parts is not None:
                for part, times in parts:
                    if isinstance(part, int):
                        number += part * times * factor
                    else:
                        work.append((part, times * factor))
                continue
            word = self._index_word(value)
            if isinstance(word, int):
                number += word * factor
            else:
                terms[word] = terms.get(word, 0) + factor
        return self._sum(terms, number & WORD)

    def _index_word(self, value: ir.Value) -> Operand:
        type = value.type
        low = self.low(value)[0]
        if isinstance(type, IntType) and type.bits < 32:
            return self._sign_extended(low, type.bits)
        return low

    def _summands(self, value: ir.Value, here: object) -> list[tuple[ir.Value | int, int]] | None:
        """Return the summands of an index with their factors, or None if it is not split."""
        if not isinstance(value, Instruction) or here is None:
            return None
        operands = value.operands
        bits = value.type.bits if isinstance(value.type, IntType) else 32
        if bits < 32:
            return None
        if value.opcode in ("zext", "sext", "trunc") and bits_of(operands[0].type) >= 32:
            return [(operands[0], 1)]
        number = constant_of(operands[1]) if len(operands) == 2 else None
        near = isinstance(here, ir.Block) and self.depth.get(value.parent) == self.depth.get(here)
        match value.opcode:
            case "add" if number is not None:
                return [(operands[0], 1), (number, 1)]
            case "or" if number is not None and "disjoint" in value.flags:
                return [(operands[0], 1), (number, 1)]
            case "and" if number == WORD:
                return [(operands[0], 1)]
            case "getelementptr" if not value.type.is_vector and near:
                summands: list[tuple[ir.Value | int, int]] = [(operands[0], 1)]
                for index, size in offset_terms(value.attributes["element_type"], operands[1:]):
                    summands.append((size, 1) if index is None else (index, size))
                return summands
            case "getelementptr" if not value.type.is_vector:
                terms = offset_terms(value.attributes["element_type"], operands[1:])
                if all(index is None for index, _ in terms):
                    return [(operands[0], 1), *((size, 1) for _, size in terms)]
            case "addrspacecast":
                return [(operands[0], 1)]
            case "add" if near:
                return [(operands[0], 1), (operands[1], 1)]
            case "or" if near and "disjoint" in value.flags:
                return [(operands[0], 1), (operands[1], 1)]
            case "sub" if near:
                return [(operands[0], 1), (operands[1], -1)]
            case "shl" if near and number is not None and 0 <= number < 32:
                return [(operands[0], 1 << number)]
            case "mul" if near and number is not None:
                return [(operands[0], number)]
        return None

    def _sum(self, terms: Mapping[Operand, int], number: int) -> Operand:
        op = self.build.op
        total: Operand = 0
        for value in sorted(terms, key=self._rank):
            factor = terms[value] & WORD
            if factor == WORD:
                total = op("sub", total, value)
            else:
                total = op("add", op("mul", value, factor), total)
        return op("add", total, number)

    def _rank(self, operand: Operand) -> tuple[int, int]:
        """Order values by loop depth, outermost first."""
        assert isinstance(operand, Value)
        return (self.value_depth.get(operand, 0), operand.number)


def needs_high_words(function: Function) -> set[ir.Value]:
    """Return the 64-bit values whose high word is used."""
    needed: set[ir.Value] = set()
    work: list[ir.Value] = []

    def need(value: ir.Value) -> None:
        if value not in needed and isinstance(value.type.scalar, IntType) and value.type.scalar.bits > 32:
            needed.add(value)
            work.append(value)

    for i in function.instructions():
        if i.opcode in (*SAME_HIGH, "trunc", "getelementptr", "inttoptr", "shufflevector", "extractelement"):
            continue
        for operand in i.operands:
            need(operand)
    while work:
        value = work.pop()
        if not isinstance(value, Instruction):
            continue
        if value.opcode in SAME_HIGH or value.opcode in ("shufflevector", "extractelement", "trunc"):
            mask = constant_of(value.operands[1]) if value.opcode == "and" else None
            if mask is not None and 0 <= mask <= WORD:
                continue
            for operand in value.operands:
                need(operand)
    return needed


def is_bit(type: Type) -> bool:
    scalar = type.scalar
    return isinstance(scalar, IntType) and scalar.bits == 1


def bits_of(type: Type) -> int:
    """Return the width of a number or pointer; pointers have the width of a word."""
    scalar = type.scalar
    return scalar.bits if isinstance(scalar, IntType | FloatType) else 32
