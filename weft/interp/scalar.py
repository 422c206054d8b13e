"""Select the scalar function that computes an instruction, by opcode and types.

Vector instructions apply the same functions elementwise.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from weft import integers
from weft.ir import Instruction
from weft.ir.addresses import offset_terms
from weft.ir.opcodes import BINARY, CASTS
from weft.ir.types import (
    FloatType,
    IntType,
    PointerType,
    Type,
    VectorType,
)
from weft.ir.values import ConstantExpression, Value

from . import floating
from .errors import UndefinedBehaviour, UnsupportedInstruction
from .formats import bits_of_float, float_of_bits
from .memory import Memory
from .poison import POISON, guarded

if TYPE_CHECKING:
    from .machine import Machine

Scalar = Callable[..., Any]


def width_of(type: Type) -> int:
    """Return the bits of a scalar type."""
    if isinstance(type, IntType | FloatType):
        return type.bits
    if isinstance(type, PointerType):
        return 64
    raise UnsupportedInstruction(f"{type} is not a number")


def binary(instruction: Instruction, trap: bool) -> Scalar:
    """Return the function of a binary instruction."""
    type = instruction.type.scalar
    if isinstance(type, FloatType):
        return floating.binary(instruction.opcode, type.kind)
    return integer_binary(instruction.opcode, width_of(type), instruction.flags, trap)


def integer_binary(opcode: str, bits: int, flags: Sequence[str], trap: bool = True) -> Scalar:
    """Return the function of a binary opcode.

    Undefined divisions raise, or return 0 if `trap` is false: in OpenCL C their result is some number.
    """
    return integers.binary(opcode, bits, flags, POISON, _refuse if trap else _zero)


def _refuse(reason: str) -> int:
    raise UndefinedBehaviour(reason)


def _zero(reason: str) -> int:
    return 0


def compare(instruction: Instruction, memory: Memory) -> Scalar:
    """Return the function of icmp or fcmp."""
    predicate = instruction.attributes["predicate"]
    type = instruction.operands[0].type.scalar
    if instruction.opcode == "fcmp":
        return floating.compare(predicate)
    if not isinstance(type, PointerType):
        return integers.compare(predicate, width_of(type), instruction.flags, POISON)
    if predicate in ("eq", "ne"):
        return integers.compare(predicate, 64)
    numbers = integers.compare(predicate, 64)
    address = memory.address
    return lambda a, b: numbers(address(a), address(b))


def cast(opcode: str, source: Type, target: Type, flags: Sequence[str], memory: Memory) -> Scalar:
    """Return the function of a cast between scalar types; a bitcast between vectors is `reinterpret`."""
    match opcode, source, target:
        case "trunc" | "zext" | "sext", IntType(), IntType():
            return integers.cast(opcode, source.bits, target.bits, flags, POISON)
        case "sitofp" | "uitofp", IntType(), FloatType():
            return floating.from_integer(target.kind, source.bits, opcode == "sitofp", "nneg" in flags)
        case "fptosi" | "fptoui", FloatType(), IntType():
            return floating.to_integer(target.bits, opcode == "fptosi")
        case "fptrunc", FloatType(), FloatType():
            return floating.narrow(source.kind, target.kind)
        case "fpext", FloatType(), FloatType():
            return floating.widen(source.kind)
        case "ptrtoint" | "ptrtoaddr", PointerType(), IntType():
            mask = (1 << target.bits) - 1
            return lambda pointer: memory.address(pointer) & mask
        case "inttoptr", IntType(), PointerType():
            return lambda number: memory.pointer(number & ((1 << 64) - 1))
        case "addrspacecast", PointerType(), PointerType():
            return lambda pointer: pointer
        case "bitcast", _, _:
            return _bitcast(source, target)
    raise UnsupportedInstruction(f"{opcode} from {source} to {target}")


def _bitcast(source: Type, target: Type) -> Scalar:
    if source is target or isinstance(source, PointerType):
        return lambda value: value
    to_bits, of_bits = bits_of(source), value_of_bits(target)
    return lambda value: of_bits(to_bits(value))


def bits_of(type: Type) -> Callable[[Any], int]:
    """Return the function from scalars of a type to their bits."""
    if isinstance(type, FloatType):
        kind = type.kind
        return lambda value: bits_of_float(kind, value)
    return lambda value: +value


def value_of_bits(type: Type) -> Callable[[int], Any]:
    """Return the function from bits to scalars of a type."""
    if isinstance(type, FloatType):
        kind = type.kind
        return lambda bits: float_of_bits(kind, bits)
    return lambda bits: bits


def lanes_of(type: Type) -> int:
    """Return the number of lanes of a vector type; 0 for a scalar."""
    return type.count if isinstance(type, VectorType) else 0


def reinterpret(source: Type, target: Type) -> Callable[[Any], Any]:
    """Return the function of a bitcast in which lanes do not correspond; lane 0 has the lowest bits."""
    from_width, to_width = width_of(source.scalar), width_of(target.scalar)
    from_count = source.count if isinstance(source, VectorType) else 1
    to_count = target.count if isinstance(target, VectorType) else 1
    to_bits, of_bits = bits_of(source.scalar), value_of_bits(target.scalar)
    mask = (1 << to_width) - 1
    lanes = range(to_count)
    covered = [
        range(lane * to_width // from_width, -(-(lane + 1) * to_width // from_width)) for lane in lanes
    ]

    def convert(value: Any) -> Any:
        parts = value if from_count > 1 or isinstance(source, VectorType) else (value,)
        packed = 0
        for index, part in enumerate(parts):
            if part is not POISON:
                packed |= to_bits(part) << (index * from_width)
        result = tuple(
            POISON
            if any(parts[index] is POISON for index in covered[lane])
            else of_bits(packed >> (lane * to_width) & mask)
            for lane in lanes
        )
        return result if isinstance(target, VectorType) else result[0]

    return convert


def element_steps(element: Type, indices: Sequence[Value]) -> tuple[int, list[tuple[Value, int, int]]]:
    """Return the constant byte offset of a getelementptr, and its other indices as (value, bits, bytes per
    unit)."""
    terms = offset_terms(element, indices)
    steps = [(index, width_of(index.type.scalar), unit) for index, unit in terms if index is not None]
    return sum(offset for index, offset in terms if index is None), steps


def constant_operation(machine: "Machine", expression: ConstantExpression, operands: list[Any]) -> Any:
    """Return the value of a constant expression."""
    opcode, flags = expression.opcode, expression.attributes.get("flags", ())
    type = expression.type.scalar
    if opcode == "getelementptr":
        offset, steps = element_steps(expression.attributes["element_type"], expression.operands[1:])
        if steps:
            raise UnsupportedInstruction("a constant getelementptr with an index that is not a number")
        allocation, start = operands[0]
        return allocation, start + offset
    if opcode in CASTS:
        source = expression.operands[0].type
        if opcode == "bitcast" and lanes_of(source) != lanes_of(expression.type):
            return reinterpret(source, expression.type)(operands[0])
        function = cast(opcode, source.scalar, type, flags, machine.memory)
    elif opcode in BINARY:
        function = integer_binary(opcode, width_of(type), flags)
    else:
        raise UnsupportedInstruction(f"constant {opcode}")
    if expression.type.is_vector:
        return tuple(guarded(function, *lanes) for lanes in zip(*operands, strict=True))
    return guarded(function, *operands)
