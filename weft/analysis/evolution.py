"""Scalar evolution: how a value changes with an index.

    value(i) = base + stride * i        (mod 2^bits; bytes for pointers)

where i counts SIMD lanes (`lanes.py`), the iterations of a loop (`LoopEvolution`) or work-groups
(`group_order.py`). With stride 0 the value is invariant; without a known stride it varies: `None`.

    j = phi [0, …], [j + 1, …]       stride 1 by iteration, 0 by lane
    row + j                          the sum of the strides; without wrap-around if the sum has `nsw`
    A + 4 * sext(row + j)            4 bytes, if the sum does not wrap

Machine arithmetic is exact: a stride survives the extension to a wider type only if no intermediate result
wraps. If one might, the result depends on the caller's choice (`Wrapping`).

`evolved` is the transfer function. The callers define the index (the induction variable, the lane number, the
group id), the values of phis, and the contents of memory. A vector of the program has the common stride of
its elements.

After Bachmann, Wang and Zima, *Chains of recurrences*, 1994, as used by LLVM's ScalarEvolution; here with
constant strides in one index.
"""

from collections.abc import Callable, Mapping
from enum import Enum, auto
from itertools import product as combinations
from typing import NamedTuple

from weft.ir import Block, ConstantInt, Instruction, Value
from weft.ir.addresses import offset_terms
from weft.ir.loops import Loop
from weft.ir.symbols import extremum
from weft.ir.types import I64, bit_width
from weft.ir.values import ConstantZero, Poison, constant_of
from weft.recursion import Definition, Recursion

from .induction import induction

VARYING = None
# The most lanes of a loop: those of a 64-bit mask.
MOST_LANES = 64
LOW_WORD = 0xFFFF_FFFF


class Wrapping(Enum):
    """What happens to the stride of a value that may wrap when the value is extended."""

    VARIES = auto()
    CONDITIONAL = auto()  # it is kept under the condition of a run-time test that the lanes do not wrap
    IGNORED = auto()  # it is kept: for heuristics only


class Evolution(NamedTuple):
    """A stride, and whether it holds without wrap-around for signed and for unsigned numbers.

    It holds only if the operand of no instruction in `needs` wraps between the first and the last lane.
    `alignment` divides the lowest of the addresses, if they were proved to be consecutive.
    """

    stride: int
    signed: bool = True
    unsigned: bool = True
    needs: frozenset[Instruction] = frozenset()
    alignment: int = 1


INVARIANT = Evolution(0)
EvolutionOf = Callable[[Value], Evolution | None]
# Operations that may keep a stride.
_LINEAR = frozenset(
    ("add", "sub", "or", "mul", "shl", "sext", "zext", "trunc", "ashr", "lshr", "and", "getelementptr",
     "select", "freeze", "addrspacecast", "insertelement", "shufflevector")
)  # fmt: skip


def join(a: Evolution | None, b: Evolution | None) -> Evolution | None:
    """Return what holds for a value that is one or the other, the same choice for all i."""
    if a is VARYING or b is VARYING or a.stride != b.stride or a.needs or b.needs:
        return VARYING
    return Evolution(a.stride, a.signed and b.signed, a.unsigned and b.unsigned)


def evolved(i: Instruction, of: EvolutionOf, wrapping: Wrapping) -> Evolution | None:
    """Return the evolution of an instruction without effects, not a phi, from those of its operands."""
    result = _evolved(i, of, wrapping)
    if result is not VARYING and wrapping is Wrapping.IGNORED:
        return Evolution(result.stride)
    return result


def _evolved(i: Instruction, of: EvolutionOf, wrapping: Wrapping) -> Evolution | None:
    operands = i.operands
    if i.opcode not in _LINEAR:
        return _opaque(operands, of)
    match i.opcode:
        case "add" | "sub":
            return _sum(of(operands[0]), of(operands[1]), -1 if i.opcode == "sub" else 1, i.flags)
        case "or" if "disjoint" in i.flags:  # no carries, so it cannot wrap
            return _sum(of(operands[0]), of(operands[1]), 1, ("nsw", "nuw"))
        case "mul" | "shl":
            return _product(i, of(operands[0]), of(operands[1]))
        case "trunc" if (source := before_extension(i)) is not None:
            return of(source)
        case "sext" | "zext" | "trunc":
            return _conversion(i, of(operands[0]), wrapping)
        case "ashr" | "lshr" if not all(map(is_invariant, map(of, operands))):
            return _shift_right(i, of(operands[0]), wrapping)
        case "and" if _keeps_low_word(i) and not is_invariant(of(operands[0])):
            return _low_word(i, of(operands[0]), wrapping)
        case "getelementptr":
            return _address(i, of)
        case "select":
            return join(of(operands[1]), of(operands[2])) if is_invariant(of(operands[0])) else VARYING
        case "freeze":
            return _frozen(of(operands[0]), wrapping)
        case "addrspacecast":
            return of(operands[0])
        case "insertelement" if isinstance(operands[0], Poison):
            return of(operands[1])  # the only defined element
        case "shufflevector" if isinstance(operands[2], ConstantZero):
            return of(operands[0])
    return _opaque(operands, of)


def before_extension(trunc: Instruction) -> Value | None:
    """Return the number that was extended and that a `trunc` restores; None if it does anything else."""
    source = trunc.operands[0]
    if not isinstance(source, Instruction) or source.opcode not in ("zext", "sext"):
        return None
    return source.operands[0] if source.operands[0].type is trunc.type else None


def _opaque(operands: list[Value], of: EvolutionOf) -> Evolution | None:
    """Return the evolution of an unknown function of the operands."""
    invariant = all(is_invariant(of(o)) for o in operands if not isinstance(o, Block))
    return INVARIANT if invariant else VARYING


def is_invariant(a: Evolution | None) -> bool:
    """Whether a value is the same for all i."""
    return a is INVARIANT or (a is not VARYING and a.stride == 0 and not a.needs)


def _sum(a: Evolution | None, b: Evolution | None, sign: int, flags: tuple[str, ...]) -> Evolution | None:
    if a is VARYING or b is VARYING:
        return VARYING
    stride, needs = a.stride + sign * b.stride, a.needs | b.needs
    if stride == 0 and not needs:
        return INVARIANT
    return Evolution(
        stride, a.signed and b.signed and "nsw" in flags, a.unsigned and b.unsigned and "nuw" in flags, needs
    )


def _product(i: Instruction, a: Evolution | None, b: Evolution | None) -> Evolution | None:
    if a is VARYING or b is VARYING:
        return VARYING
    if a.stride == 0 and b.stride == 0:
        return INVARIANT
    left, right = i.operands
    if i.opcode == "mul" and constant_of(left) is not None:
        left, a, right = right, b, left
    factor = constant_of(right)
    if factor is None:
        return VARYING
    if i.opcode == "shl":
        if not 0 <= factor < bit_width(i.type):
            return VARYING
        factor = 1 << factor
    if factor == 0:
        return INVARIANT
    return Evolution(
        a.stride * factor,
        a.signed and "nsw" in i.flags,
        a.unsigned and "nuw" in i.flags and factor > 0,
        a.needs,
    )


def _shift_right(i: Instruction, a: Evolution | None, wrapping: Wrapping) -> Evolution | None:
    """Shift a value whose stride is a multiple of the divisor."""
    by = i.operands[1]
    if (
        a is VARYING
        or not isinstance(by, ConstantInt)
        or by.value >= by.type.bits
        or a.stride % (1 << by.value)
    ):
        return VARYING
    return _on_condition(i, Evolution(a.stride >> by.value, True, i.opcode == "lshr", a.needs), a, wrapping)


def _conversion(i: Instruction, a: Evolution | None, wrapping: Wrapping) -> Evolution | None:
    if a is VARYING or a.stride == 0:
        return a
    if i.opcode == "trunc":
        return Evolution(a.stride, a.signed and "nsw" in i.flags, a.unsigned and "nuw" in i.flags, a.needs)
    if i.opcode == "sext" and a.signed:
        return Evolution(a.stride, True, False, a.needs)
    if i.opcode == "zext" and (a.unsigned or ("nneg" in i.flags and a.signed)):
        return Evolution(a.stride, True, True, a.needs)
    return _on_condition(i, Evolution(a.stride, True, i.opcode == "zext", a.needs), a, wrapping)


def _keeps_low_word(i: Instruction) -> bool:
    """Whether an instruction zero-extends the low 32 bits of a number, as optimizers write it."""
    mask = i.operands[1]
    return i.type is I64 and isinstance(mask, ConstantInt) and mask.value == LOW_WORD


def _low_word(i: Instruction, a: Evolution | None, wrapping: Wrapping) -> Evolution | None:
    if a is VARYING or wrapping is Wrapping.VARIES or abs(a.stride) * MOST_LANES >= 1 << 30:
        return VARYING
    return Evolution(a.stride, True, True, a.needs | {i})


def _on_condition(i: Instruction, result: Evolution, a: Evolution, wrapping: Wrapping) -> Evolution | None:
    """Return `result` under the condition that no operand of `i` wraps between first and last lane."""
    if wrapping is Wrapping.IGNORED:
        return result
    bits = bit_width(i.operands[0].type)
    if wrapping is Wrapping.VARIES or bits < 32 or abs(a.stride) * MOST_LANES >= 1 << (bits - 2):
        return VARYING
    return result._replace(needs=a.needs | {i})


def _frozen(a: Evolution | None, wrapping: Wrapping) -> Evolution | None:
    if a is VARYING or wrapping is Wrapping.IGNORED:
        return a
    if wrapping is Wrapping.VARIES:
        return VARYING  # each freeze of poison may yield another number
    # Without the flags the value wraps, and may no longer have the properties that they promise.
    return Evolution(a.stride, False, False, a.needs) if a.stride else a


def _address(i: Instruction, of: EvolutionOf) -> Evolution | None:
    part = of(i.operands[0])
    if part is VARYING:
        return VARYING
    stride, needs = part.stride, part.needs
    for index, size in offset_terms(i.attributes["element_type"], i.operands[1:]):
        if index is None:
            continue
        part = of(index)
        if part is VARYING or (part.stride and index.type.scalar is not I64 and not part.signed):
            return VARYING  # narrower indices are sign-extended
        stride, needs = stride + part.stride * size, needs | part.needs
    return Evolution(stride, needs=needs) if stride or needs else INVARIANT


# The iterations of a loop


class LoopEvolution:
    """Evolutions from one iteration of a loop to the next; `known` are those of some phis of its header.

    Only iterations that run to their end and use what they compute as an address count: `nsw` and `nuw` hold
    for these. Linear in the size of the loop.
    """

    def __init__(
        self,
        loop: Loop,
        wrapping: Wrapping = Wrapping.VARIES,
        known: Mapping[Value, Evolution | None] | None = None,
    ) -> None:
        self._loop, self._wrapping = loop, wrapping
        self.of = Recursion(self._evolution, VARYING, dict(known or {}))

    def is_invariant(self, value: Value) -> bool:
        """Whether a value is the same in all iterations."""
        return is_invariant(self.of(value))

    def _evolution(self, value: Value) -> Definition[Value, Evolution | None]:
        if not isinstance(value, Instruction) or value.block not in self._loop.blocks:
            return INVARIANT
        if value.opcode == "phi":
            if value.block is not self._loop.header and len(value.operands) == 2:
                return (yield value.operands[0])  # a block with one predecessor
            counter = induction(self._loop, value)
            return (
                Evolution(counter.step, counter.signed, counter.unsigned) if counter is not None else VARYING
            )
        return (yield from computed(value, self.of.known, self._wrapping))


def computed(
    i: Instruction, known: Mapping[Value, Evolution | None], wrapping: Wrapping
) -> Definition[Value, Evolution | None]:
    """Return the evolution of a computed value; a `Recursion` caches those of its operands in `known`."""
    if i.info.reads or i.info.writes or i.is_terminator or i.opcode == "alloca":
        return VARYING
    for operand in i.operands:
        _ = yield operand
    return evolved(i, known.get, wrapping)


# Likely strides

Strides = frozenset[int]
# The most strides that a value may have; more are useless.
_MOST_STRIDES = 4
_FROM_FIRST = ("sext", "zext", "trunc", "freeze", "srem", "urem")


class LikelyStrides:
    """The strides that values are likely to have although nothing proves it; None if nothing is known.

        row = e % c;  column = e / c;  for (y = max(row - w, 0); …) … = window[column * w + row - y]

    Only divisions, remainders, minima and similar operations keep these addresses from being linear. Most
    neighbouring lanes are in the same row, and most rows begin with y = 0: then the addresses are
    consecutive. If c is known only at run time this cannot be proved, but the code can test it. Values loaded
    from memory, such as the columns of a sparse matrix, have no likely stride.

    `of` returns proved evolutions. A value that depends on itself around a loop has the strides with which it
    enters.
    """

    def __init__(self, of: EvolutionOf) -> None:
        self._certain = of
        self.of: Recursion[Value, Strides | None] = Recursion(self._likely, frozenset())

    def are_consecutive(self, pointer: Value, size: int) -> bool:
        """Whether addresses of elements of a size are likely to be consecutive, or all the same."""
        strides = self.of(pointer)
        return strides is not None and not strides.isdisjoint((0, size))

    def _likely(self, value: Value) -> Definition[Value, Strides | None]:
        certain = self._certain(value)
        if certain is not None:
            return frozenset((certain.stride,))
        if not isinstance(value, Instruction):
            return None
        strides = yield from self._computed(value)
        return strides if strides is not None and len(strides) <= _MOST_STRIDES else None

    def _computed(self, i: Instruction) -> Definition[Value, Strides | None]:
        if i.opcode in _FROM_FIRST:
            return (yield i.operands[0])
        if i.opcode in ("sdiv", "udiv"):
            return frozenset((0,))
        if i.opcode in ("phi", "select"):
            return (yield from self._any_of(i.operands[::2] if i.opcode == "phi" else i.operands[1:]))
        if extremum(i.callee_name):
            return (yield from self._any_of(i.arguments))
        if i.opcode not in ("add", "sub", "mul", "getelementptr") or len(i.operands) != 2:
            return None
        left, right = (yield i.operands[0]), (yield i.operands[1])
        if left is None or right is None:
            return None
        sums = set()
        for strides in combinations(left, right):
            operands = dict(zip(i.operands, map(Evolution, strides), strict=True))
            evolution = evolved(i, operands.get, Wrapping.IGNORED)
            if evolution is not None:
                sums.add(evolution.stride)
        return frozenset(sums) if sums or not (left and right) else None

    def _any_of(self, values: list[Value]) -> Definition[Value, Strides | None]:
        union: Strides = frozenset()
        for value in values:
            strides = yield value
            if strides is None:
                return None
            union |= strides
        return union
