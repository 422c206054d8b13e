"""Look up LLVM's intrinsics by name; implement those that work on whole vectors or are hints.

`llvm.smax.v4i32` is looked up as `smax.v4i32`, then `smax`.
"""

from collections.abc import Callable
from time import monotonic_ns
from typing import TYPE_CHECKING, Any

from weft import integers
from weft.ir import Instruction
from weft.ir.types import FloatType, VectorType

from . import floating
from .access import atomic_function
from .errors import UndefinedBehaviour
from .float_intrinsics import FLOAT_INTRINSICS
from .instructions import elementwise
from .integer_intrinsics import INTEGER_INTRINSICS
from .memory_intrinsics import MEMORY_INTRINSICS
from .poison import POISON, guarded
from .scalar import width_of

if TYPE_CHECKING:
    from .code import Code, Frame, Op

Maker = Callable[["Code", Instruction], "Op"]


def intrinsic(code: "Code", instruction: Instruction, name: str) -> "Op | None":
    """Compile a call of an intrinsic, or return None if it is unknown."""
    words = name.removeprefix("llvm.").split(".")
    for end in range(len(words), 0, -1):
        base = ".".join(words[:end])
        if base in _LANEWISE:
            arity, maker = _LANEWISE[base]
            function = maker(instruction.operands[0].type.scalar, instruction)
            slots = code.slots(instruction.arguments[:arity])
            op = elementwise(function, code.slot(instruction), slots, instruction.operands[0].type.is_vector)
            return _transposed(code, instruction, op) if base in _PAIRS else op
        if base in _OTHERS:
            return _OTHERS[base](code, instruction)
        if base in MEMORY_INTRINSICS:
            return MEMORY_INTRINSICS[base](code, instruction)
    return None


_LANEWISE = {
    **INTEGER_INTRINSICS,
    **FLOAT_INTRINSICS,
    "expect": (1, lambda type, instruction: lambda a: a),
    "ssa.copy": (1, lambda type, instruction: lambda a: a),
}
# These return a struct; for vectors, a struct of vectors, not a vector of structs.
_PAIRS = frozenset(name for name in _LANEWISE if name.endswith(".with.overflow")) | {
    "frexp",
    "modf",
    "sincos",
}


def _transposed(code: "Code", instruction: Instruction, op: "Op") -> "Op":
    target = code.slot(instruction)
    vector = instruction.operands[0].type.is_vector

    def transpose(frame: "Frame") -> None:
        op(frame)
        pairs = frame[target]
        if vector:
            both = [(POISON, POISON) if pair is POISON else pair for pair in pairs]
            frame[target] = tuple(zip(*both, strict=True))
        elif pairs is POISON:
            frame[target] = (POISON, POISON)

    return transpose


# Reductions and operations on whole vectors


def _reduction(name: str, *, started: bool = False) -> Maker:
    """Return a maker of a fold over lanes in order; `started`: the intrinsic has a start value."""

    def maker(code: "Code", instruction: Instruction) -> "Op":
        type = instruction.type
        function: Callable[..., Any]
        if name in _FLOAT_REDUCTIONS:
            function = _FLOAT_REDUCTIONS[name]
        elif isinstance(type, FloatType):
            function = floating.binary(name, type.kind)
        elif name == "mul":
            function = integers.binary("mul", width_of(type))
        else:
            function = atomic_function(_REDUCTION_OPERATIONS.get(name, name), type)
        slots, target = code.slots(instruction.arguments), code.slot(instruction)

        def reduce(frame: "Frame") -> None:
            lanes = list(frame[slots[-1]])
            total = frame[slots[0]] if started else lanes.pop(0)
            for lane in lanes:
                total = guarded(function, total, lane)
            frame[target] = total

        return reduce

    return maker


_REDUCTION_OPERATIONS = {"smax": "max", "smin": "min"}
_FLOAT_REDUCTIONS = {
    "fmax": floating.maximum_number,
    "fmin": floating.minimum_number,
    "fmaximum": floating.maximum,
    "fminimum": floating.minimum,
}


def _vector_insert(code: "Code", instruction: Instruction) -> "Op":
    vector, part, index = code.slots(instruction.arguments)
    target = code.slot(instruction)

    def insert(frame: "Frame") -> None:
        at, lanes = frame[index], frame[part]
        frame[target] = (*frame[vector][:at], *lanes, *frame[vector][at + len(lanes) :])

    return insert


def _vector_extract(code: "Code", instruction: Instruction) -> "Op":
    vector, index = code.slots(instruction.arguments)
    target = code.slot(instruction)
    assert isinstance(instruction.type, VectorType)
    count = instruction.type.count

    def extract(frame: "Frame") -> None:
        at = frame[index]
        frame[target] = frame[vector][at : at + count]

    return extract


def _vector_reverse(code: "Code", instruction: Instruction) -> "Op":
    operand, target = code.slot(instruction.operands[0]), code.slot(instruction)

    def reverse(frame: "Frame") -> None:
        frame[target] = frame[operand][::-1]

    return reverse


def _permute(code: "Code", instruction: Instruction) -> "Op":
    """Compile a permutation of lanes by the low bits of each index (an x86 instruction)."""
    vector, index = code.slots(instruction.arguments)
    target = code.slot(instruction)

    def permute(frame: "Frame") -> None:
        lanes = frame[vector]
        frame[target] = tuple(POISON if i is POISON else lanes[i % len(lanes)] for i in frame[index])

    return permute


def _active_lane_mask(code: "Code", instruction: Instruction) -> "Op":
    base, limit = code.slots(instruction.arguments)
    target = code.slot(instruction)
    assert isinstance(instruction.type, VectorType)
    lanes = range(instruction.type.count)

    def mask(frame: "Frame") -> None:
        first, end = frame[base], frame[limit]
        poison = first is POISON or end is POISON
        frame[target] = tuple([POISON if poison else 1 if first + lane < end else 0 for lane in lanes])

    return mask


def _pointer_mask(code: "Code", instruction: Instruction) -> "Op":
    memory = code.machine.memory

    def masked(pointer: Any, mask: int) -> Any:
        allocation, offset = pointer
        address = memory.address(pointer)
        return allocation, offset - (address & ~mask)

    slots = code.slots(instruction.arguments)
    return elementwise(masked, code.slot(instruction), slots, instruction.type.is_vector)


# Hints


def _assume(code: "Code", instruction: Instruction) -> "Op":
    condition = code.slot(instruction.operands[0])

    def assume(frame: "Frame") -> None:
        if frame[condition] is POISON or not frame[condition]:
            raise UndefinedBehaviour("an assumption does not hold")

    return assume


def _nothing(code: "Code", instruction: Instruction) -> "Op":
    return lambda frame: None


def _not_constant(code: "Code", instruction: Instruction) -> "Op":
    target = code.slot(instruction)

    def answer(frame: "Frame") -> None:
        frame[target] = 0

    return answer


def _counter(code: "Code", instruction: Instruction) -> "Op":
    """Compile a read of a clock, which is monotonic."""
    target = code.slot(instruction)

    def count(frame: "Frame") -> None:
        frame[target] = monotonic_ns()

    return count


def _trap(code: "Code", instruction: Instruction) -> "Op":
    def trap(frame: "Frame") -> None:
        raise UndefinedBehaviour("the program executed a trap")

    return trap


_FOLDS = ("add", "mul", "and", "or", "xor", "smax", "smin", "umax", "umin", *_FLOAT_REDUCTIONS)
_OTHERS: dict[str, Maker] = {
    **{
        f"vector.reduce.{name}": _reduction(name)
        for name in [
            "add",
            "mul",
            "and",
            "or",
            "xor",
            "smax",
            "smin",
            "umax",
            "umin",
            "fmax",
            "fmin",
            "fmaximum",
            "fminimum",
        ]
    },
    "vector.reduce.fadd": _reduction("fadd", started=True),
    "vector.reduce.fmul": _reduction("fmul", started=True),
    "vector.insert": _vector_insert,
    "vector.extract": _vector_extract,
    "vector.reverse": _vector_reverse,
    "x86.avx512.permvar": _permute,
    "get.active.lane.mask": _active_lane_mask,
    "ptrmask": _pointer_mask,
    "assume": _assume,
    "is.constant": _not_constant,
    "readcyclecounter": _counter,
    "readsteadycounter": _counter,
    "trap": _trap,
    "ubsantrap": _trap,
    **dict.fromkeys(
        ("dbg", "experimental.noalias.scope.decl", "donothing", "prefetch", "sideeffect", "invariant.end"),
        _nothing,
    ),
    # Fences between counter reads are not needed: instructions run in order.
    **dict.fromkeys(("x86.sse2.lfence", "ppc.isync"), _nothing),
}
