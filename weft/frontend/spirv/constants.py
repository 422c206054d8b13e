"""Translate constants, with the host's values of specialization constants.

A constant has its LLVM spelling and, where OpSpecConstantOp or an array length may need it, its value (or
those of a vector). Operations on specialization constants are evaluated here.
"""

import struct
from collections.abc import Callable, Mapping

from weft.dataclasses import dataclass
from weft.frontend.spirv.binary import Instruction
from weft.frontend.spirv.errors import InvalidModule
from weft.frontend.spirv.module import Module
from weft.frontend.spirv.types import (
    NAMED_BARRIER,
    RESERVATION,
    Array,
    Bool,
    Float,
    Int,
    Opaque,
    Pointer,
    Struct,
    Type,
    Types,
    Vector,
    lanes,
    scalar,
)

# OpenCL C's numbers of addressing modes and filters of samplers (CLK_ADDRESS_…, CLK_FILTER_…).
_ADDRESSING = {"None": 0, "ClampToEdge": 2, "Clamp": 4, "Repeat": 6, "RepeatMirrored": 8}
_FILTER = {"Nearest": 0x10, "Linear": 0x20}

# Maximum number of elements of a constant.
MOST_LEAVES = 1 << 20


@dataclass(frozen=True)
class Constant:
    """A constant: its type, LLVM's spelling, and its numbers if it is numeric.

    Integers are unsigned, floating-point numbers are given by their bits, booleans are 0 and 1.
    """

    type: Type
    text: str
    numbers: tuple[int, ...] = ()
    parts: tuple["Constant", ...] = ()


def float_text(bits: int, width: int) -> str:
    """Return LLVM's spelling of the floating-point number with these bits."""
    if width == 16:
        return f"0xH{bits:04X}"
    if width == 64:
        return f"0x{bits:016X}"
    sign, exponent, fraction = bits >> 31, bits >> 23 & 0xFF, bits & 0x7FFFFF
    if exponent == 0xFF:  # struct would quiet a signalling NaN
        return f"0x{sign << 63 | 0x7FF << 52 | fraction << 29:016X}"
    (value,) = struct.unpack("<f", struct.pack("<I", bits))
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def number_text(number: int, type: Type) -> str:
    """Return LLVM's spelling of a scalar."""
    if isinstance(type, Bool):
        return "true" if number else "false"
    if isinstance(type, Float):
        return float_text(number, type.width)
    return str(number)


def number_constant(type: Type, numbers: tuple[int, ...]) -> Constant:
    """Return a scalar or vector constant."""
    if not isinstance(type, Vector):
        return Constant(type, number_text(numbers[0], type), numbers)
    elements = ", ".join(f"{type.element.llvm} {number_text(n, type.element)}" for n in numbers)
    return Constant(type, f"<{elements}>", numbers)


def null(type: Type) -> Constant:
    """Return the constant whose bits are all zero."""
    if isinstance(scalar(type), Bool | Int | Float):
        return number_constant(type, (0,) * lanes(type))
    if type == RESERVATION:
        return Constant(type, "0")
    if isinstance(type, Pointer | Opaque) and type != NAMED_BARRIER:
        return Constant(type, "null")
    if isinstance(type, Array | Struct):
        return Constant(type, "zeroinitializer")
    raise InvalidModule("OpConstantNull: the type has no null value")


class Constants:
    """The constants of a module by id."""

    def __init__(self, module: Module, types: Types, chosen: Mapping[int, bytes]) -> None:
        self._module = module
        self._types = types
        self._chosen = chosen
        self._constants: dict[int, Constant] = {}

    def get(self, id: int) -> Constant | None:
        """Return the constant with an id, or None."""
        return self._constants.get(id)

    def __getitem__(self, id: int) -> Constant:
        constant = self._constants.get(id)
        if constant is None:
            raise InvalidModule(f"id {id} is not a constant")
        return constant

    def integer(self, id: int) -> int:
        """Return the value of an integer constant."""
        constant = self._constants.get(id)
        if constant is None or not isinstance(constant.type, Int) or not constant.numbers:
            raise InvalidModule(f"id {id} is not an integer constant")
        return constant.numbers[0]

    def define(self, id: int, constant: Constant) -> None:
        """Record another constant: a variable, which is its address."""
        self._constants[id] = constant

    def add(self, instruction: Instruction) -> None:
        """Translate a definition."""
        self._constants[instruction.result] = self._read(instruction)

    def _read(self, instruction: Instruction) -> Constant:
        type = self._types[instruction.type]
        match instruction.name:
            case "ConstantTrue" | "ConstantFalse" | "SpecConstantTrue" | "SpecConstantFalse":
                return self._truth(instruction, type)
            case "Constant" | "SpecConstant":
                return self._number(instruction, type)
            case "ConstantComposite" | "SpecConstantComposite":
                return composite(type, [self[id] for id in instruction.numbers(0)])
            case "ConstantNull" | "Undef":
                return null(type)
            case "ConstantSampler":
                return self._sampler(instruction, type)
            case "SpecConstantOp":
                return self._operation(instruction, type)
        raise InvalidModule(f"Op{instruction.name} is not supported")

    def _truth(self, instruction: Instruction, type: Type) -> Constant:
        if not isinstance(type, Bool):
            raise InvalidModule(f"Op{instruction.name}: the type is not bool")
        value = int(instruction.name.endswith("True"))
        chosen = self._chosen_value(instruction, 1)
        return number_constant(type, (value if chosen is None else int(chosen != 0),))

    def _number(self, instruction: Instruction, type: Type) -> Constant:
        if not isinstance(type, Int | Float):
            raise InvalidModule(f"Op{instruction.name}: the type is not numeric")
        chosen = self._chosen_value(instruction, type.size)
        value = instruction.number(0) if chosen is None else chosen
        # Narrow numbers fill a word; signed ones are sign-extended.
        return number_constant(type, (value & (1 << type.width) - 1,))

    def _chosen_value(self, instruction: Instruction, size: int) -> int | None:
        """Return the host's value of a specialization constant, or None."""
        if not instruction.name.startswith("Spec"):
            return None
        id = spec_id(self._module, instruction)
        data = self._chosen.get(id) if id is not None else None
        if data is None:
            return None
        if len(data) != size:
            raise InvalidModule(f"specialization constant {id} has {size} bytes, got {len(data)}")
        return int.from_bytes(data, "little")

    def _sampler(self, instruction: Instruction, type: Type) -> Constant:
        if not isinstance(type, Opaque) or type.name != "sampler_t":
            raise InvalidModule("OpConstantSampler: the type is not OpTypeSampler")
        addressing, normalized, filter = instruction.operands
        bits = _ADDRESSING[str(addressing)] | _FILTER[str(filter)] | (1 if normalized else 0)
        return Constant(type, f"inttoptr (i64 {bits} to ptr)")

    def _operation(self, instruction: Instruction, type: Type) -> Constant:
        name = instruction.word(0)
        operands = instruction.operands[1:]
        if name in ("CompositeExtract", "CompositeInsert", "VectorShuffle"):
            return self._take_apart(name, instruction, type)
        if isinstance(type, Pointer):
            return self._address(name, instruction, type)
        if name == "ConvertPtrToU":
            return self._number_of_address(instruction, type)
        arguments = [self[operand] for operand in operands if isinstance(operand, int)]
        operation = _OPERATIONS.get(name)
        if operation is None or len(arguments) != operation.count:
            raise InvalidModule(f"OpSpecConstantOp: Op{name} is not supported")
        element = scalar(type)
        if not isinstance(element, Int | Bool) or not all(
            isinstance(scalar(c.type), Int | Bool) and c.numbers and lanes(c.type) in (lanes(type), 1)
            for c in arguments
        ):
            raise InvalidModule(f"OpSpecConstantOp: Op{name} is supported only for integers and bool")
        if any(lanes(c.type) != lanes(type) for c in arguments[1 if name == "Select" else 0 :]):
            raise InvalidModule(f"OpSpecConstantOp: Op{name} has operands of different widths")
        width = element.width if isinstance(element, Int) else 1
        operand_type = scalar(arguments[-1].type)
        bits = operand_type.width if isinstance(operand_type, Int) else 1
        numbers = []
        for lane in range(lanes(type)):
            values = [c.numbers[lane if lanes(c.type) > 1 else 0] for c in arguments]
            numbers.append(operation.compute(bits, *values) & (1 << width) - 1)
        return number_constant(type, tuple(numbers))

    def _address(self, name: str, instruction: Instruction, type: Pointer) -> Constant:
        """Return the address of a part of a variable, or of the variable as another type."""
        ids = instruction.numbers(1)
        base = self[ids[0]] if ids else null(type)
        if not isinstance(base.type, Pointer) or base.type.storage != type.storage:
            raise InvalidModule(f"OpSpecConstantOp: Op{name} requires a pointer to the same storage class")
        if name == "Bitcast":
            return Constant(type, base.text)
        if not name.endswith("AccessChain"):
            raise InvalidModule(f"OpSpecConstantOp: Op{name} is not supported for pointers")
        indices = [self.integer(id) for id in ids[1:]]
        at = self._types.pointee(base.type)
        first = indices.pop(0) if "Ptr" in name and indices else 0
        words = [f"i64 {first}"]
        start = at
        for index in indices:
            known = isinstance(at, Struct | Array | Vector) and index < (
                len(at.members) if isinstance(at, Struct) else at.count
            )
            if not known:
                raise InvalidModule("OpSpecConstantOp: the index is out of range for the variable")
            assert isinstance(at, Struct | Array | Vector)
            words.append(f"i32 {index}" if isinstance(at, Struct) else f"i64 {index}")
            at = at.members[index] if isinstance(at, Struct) else at.element
        if at != self._types.pointee(type) or not start.in_memory:
            raise InvalidModule("OpSpecConstantOp: the member of the variable has a different type")
        return Constant(
            type, f"getelementptr ({start.llvm}, {base.type.llvm} {base.text}, {', '.join(words)})"
        )

    def _number_of_address(self, instruction: Instruction, type: Type) -> Constant:
        base = self[instruction.id(1)]
        if not isinstance(base.type, Pointer) or not isinstance(type, Int) or type.width != 64:
            raise InvalidModule(
                "OpSpecConstantOp: OpConvertPtrToU must convert a pointer to a 64-bit integer"
            )
        return Constant(type, f"ptrtoint ({base.type.llvm} {base.text} to i64)")

    def _take_apart(self, name: str, instruction: Instruction, type: Type) -> Constant:
        numbers = instruction.numbers(1)
        if name == "CompositeExtract":
            result = self[numbers[0]]
            for index in numbers[1:]:
                result = _part(result, index)
        elif name == "CompositeInsert":
            result = _inserted(self[numbers[1]], list(numbers[2:]), self[numbers[0]])
        else:
            both = [part for id in numbers[:2] for part in _parts(self[id])]
            chosen = [null(scalar(type)) if i == 0xFFFFFFFF else _at(both, i) for i in numbers[2:]]
            result = composite(type, chosen)
        if result.type != type:
            raise InvalidModule(f"OpSpecConstantOp: Op{name} does not produce its result type")
        return result


def spec_id(module: Module, instruction: Instruction) -> int | None:
    """Return the number that the host uses for a specialization constant, or None."""
    decoration = module.decoration(instruction.result, "SpecId")
    return decoration[0] if decoration and isinstance(decoration[0], int) else None


def _parts(constant: Constant) -> list[Constant]:
    """Return the elements or members of a constant."""
    type = constant.type
    if isinstance(type, Vector):
        return [number_constant(type.element, (number,)) for number in constant.numbers]
    if constant.parts:
        return list(constant.parts)
    if isinstance(type, Struct):
        return [null(member) for member in type.members]
    if isinstance(type, Array) and type.count <= 1 << 16:
        return [null(type.element)] * type.count
    raise InvalidModule("OpSpecConstantOp: the index is out of range for the constant")


def _at(parts: list[Constant], index: int) -> Constant:
    if index >= len(parts):
        raise InvalidModule("OpSpecConstantOp: the index is out of range for the constant")
    return parts[index]


def _part(constant: Constant, index: int) -> Constant:
    return _at(_parts(constant), index)


def _inserted(whole: Constant, path: list[int], value: Constant) -> Constant:
    """Replace the part of a constant at path `way`."""
    around: list[tuple[Type, list[Constant], int]] = []
    for index in path:
        parts = _parts(whole)
        around.append((whole.type, parts, index))
        whole = _at(parts, index)
    for type, parts, index in reversed(around):
        parts[index] = value
        value = composite(type, parts)
    return value


def _fits(part: Constant, type: Type) -> bool:
    return part.type == type or (isinstance(type, Pointer) and part.type.llvm == type.llvm)


def composite(type: Type, parts: list[Constant]) -> Constant:
    """Return a vector, array or structure of constants."""
    if isinstance(type, Vector):
        wanted: tuple[Type, ...] = (type.element,) * type.count
    elif isinstance(type, Array):
        if len(parts) != type.count:
            raise InvalidModule("OpConstantComposite: the number of constituents does not match the type")
        wanted = (type.element,) * type.count
    elif isinstance(type, Struct):
        wanted = type.members
    else:
        raise InvalidModule("OpConstantComposite: the type is not a composite")
    # Pointee types are not compared, because compilers are not strict about them in tables of pointers.
    if len(parts) != len(wanted) or not all(map(_fits, parts, wanted)):
        raise InvalidModule("OpConstantComposite: the constituents do not match the type")
    if type.leaves > MOST_LEAVES:
        raise InvalidModule(
            f"OpConstantComposite: constants of more than {MOST_LEAVES} elements are not supported"
        )
    if isinstance(type, Vector):
        if not all(part.numbers for part in parts):
            raise InvalidModule("OpConstantComposite: a converted pointer cannot be a vector component")
        return number_constant(type, tuple(part.numbers[0] for part in parts))
    elements = ", ".join(f"{part.type.llvm} {part.text}" for part in parts)
    if isinstance(type, Array):
        text = f"[{elements}]"
    else:
        text = f"<{{ {elements} }}>" if type.packed else f"{{ {elements} }}"
    return Constant(type, text, parts=tuple(parts))


@dataclass(frozen=True)
class _Operation:
    """An operation on integers of `bits` bits: its number of operands, and its result before truncation."""

    count: int
    compute: Callable[..., int]


def _signed(bits: int, value: int) -> int:
    return value - (1 << bits) if bits and value >> (bits - 1) & 1 else value


def _divided(bits: int, a: int, b: int) -> int:
    """Return the quotient of signed integers, rounded towards zero; 0 for a divisor of 0."""
    x, y = _signed(bits, a), _signed(bits, b)
    if not y:
        return 0
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def _remainder(bits: int, a: int, b: int) -> int:
    return _signed(bits, a) - _divided(bits, a, b) * _signed(bits, b) if b else 0


def _modulo(bits: int, a: int, b: int) -> int:
    return _signed(bits, a) % _signed(bits, b) if b else 0


def _shifted(shift: Callable[[int, int], int]) -> Callable[..., int]:
    """Return a shift whose amount is taken modulo the width."""
    return lambda bits, a, b: shift(a, b % max(bits, 1))


_OPERATIONS = {
    "SConvert": _Operation(1, _signed),
    "UConvert": _Operation(1, lambda _bits, a: a),
    "SNegate": _Operation(1, lambda _bits, a: -a),
    "Not": _Operation(1, lambda _bits, a: ~a),
    "LogicalNot": _Operation(1, lambda _bits, a: a ^ 1),
    "IAdd": _Operation(2, lambda _bits, a, b: a + b),
    "ISub": _Operation(2, lambda _bits, a, b: a - b),
    "IMul": _Operation(2, lambda _bits, a, b: a * b),
    "UDiv": _Operation(2, lambda _bits, a, b: a // b if b else 0),
    "UMod": _Operation(2, lambda _bits, a, b: a % b if b else 0),
    "SDiv": _Operation(2, _divided),
    "SRem": _Operation(2, _remainder),
    "SMod": _Operation(2, _modulo),
    "ShiftLeftLogical": _Operation(2, _shifted(lambda a, b: a << b)),
    "ShiftRightLogical": _Operation(2, _shifted(lambda a, b: a >> b)),
    "ShiftRightArithmetic": _Operation(2, lambda bits, a, b: _signed(bits, a) >> b % max(bits, 1)),
    "BitwiseOr": _Operation(2, lambda _bits, a, b: a | b),
    "BitwiseXor": _Operation(2, lambda _bits, a, b: a ^ b),
    "BitwiseAnd": _Operation(2, lambda _bits, a, b: a & b),
    "LogicalOr": _Operation(2, lambda _bits, a, b: a | b),
    "LogicalAnd": _Operation(2, lambda _bits, a, b: a & b),
    "LogicalEqual": _Operation(2, lambda _bits, a, b: a == b),
    "LogicalNotEqual": _Operation(2, lambda _bits, a, b: a != b),
    "Select": _Operation(3, lambda _bits, c, a, b: a if c else b),
    "IEqual": _Operation(2, lambda _bits, a, b: a == b),
    "INotEqual": _Operation(2, lambda _bits, a, b: a != b),
    "ULessThan": _Operation(2, lambda _bits, a, b: a < b),
    "UGreaterThan": _Operation(2, lambda _bits, a, b: a > b),
    "ULessThanEqual": _Operation(2, lambda _bits, a, b: a <= b),
    "UGreaterThanEqual": _Operation(2, lambda _bits, a, b: a >= b),
    "SLessThan": _Operation(2, lambda bits, a, b: _signed(bits, a) < _signed(bits, b)),
    "SGreaterThan": _Operation(2, lambda bits, a, b: _signed(bits, a) > _signed(bits, b)),
    "SLessThanEqual": _Operation(2, lambda bits, a, b: _signed(bits, a) <= _signed(bits, b)),
    "SGreaterThanEqual": _Operation(2, lambda bits, a, b: _signed(bits, a) >= _signed(bits, b)),
}
