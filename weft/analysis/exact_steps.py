"""By how much values change from one iteration of a loop to the next, where that is always the same.

    j = phi [0, …], [j + 1, …]       step 1
    row + splat(j)                   step 1 in each lane; exact if the sum has `nsw`
    A + 4 * sext(row + splat(j))     4 bytes

A step holds modulo the width of its type. It is *exact* for signed or unsigned numbers if none of the
iterations wraps around, so that extending the number keeps the step. Iterations count that the loop runs to
their end, with what they compute put to use as an address: what `nsw` and `nuw` promise holds of these.
Vectors have the same step in all lanes. Linear in the size of the loop.
"""

from dataclasses import dataclass

from weft.ir import Instruction, Value
from weft.ir.loops import Loop
from weft.ir.types import I64, size_of
from weft.ir.values import ConstantZero, Poison
from weft.recursion import Definition, Recursion

from .induction import constant_of, induction


@dataclass(frozen=True)
class Step:
    """What is added in each iteration, and whether signed and unsigned numbers do not wrap."""

    by: int
    signed: bool = True
    unsigned: bool = True


STAYS = Step(0)


class ExactSteps:
    """The steps of a loop's values; `None` is any change. `known` are those of some phis of its header."""

    def __init__(self, loop: Loop, known: dict[Value, Step]) -> None:
        self._loop = loop
        given: dict[Value, Step | None] = dict(known)
        self.of = Recursion(self._step, None, given)  # the step of a value; None of what depends on itself

    def _step(self, i: Value) -> Definition[Value, Step | None]:
        if not isinstance(i, Instruction) or i.block not in self._loop.blocks:
            return STAYS  # what is computed outside
        if i.opcode == "phi":
            if i.block is self._loop.header or len(i.operands) != 2:
                return self._counter(i)
            return (yield i.operands[0])  # what a block with one way in hands on
        if i.info.reads or i.info.writes or i.is_terminator or i.opcode in ("alloca", "freeze"):
            return None
        known: list[Step] = []
        for operand in i.operands:
            step = yield operand
            if step is None:
                return None
            known.append(step)
        if not any(s.by for s in known):
            return STAYS
        match i.opcode:
            case "add" | "sub":
                sign = -1 if i.opcode == "sub" else 1
                return _flagged(i, known, known[0].by + sign * known[1].by)
            case "or" if "disjoint" in i.flags:
                return Step(known[0].by + known[1].by, *_exact(known))
            case "mul" if (factor := constant_of(i.operands[1])) is not None:
                return _flagged(i, known, known[0].by * factor)
            case "shl" if (places := constant_of(i.operands[1])) is not None:
                return _flagged(i, known, known[0].by << places)
            case "sext":
                return Step(known[0].by, True, False) if known[0].signed else None
            case "zext":
                kept = known[0].unsigned or ("nneg" in i.flags and known[0].signed)
                return Step(known[0].by) if kept else None
            case "trunc":
                return Step(known[0].by, False, False)
            case "insertelement" if isinstance(i.operands[0], Poison):
                return known[1]  # the only element that is there
            case "shufflevector" if isinstance(i.operands[2], ConstantZero):
                return known[0]
            case "getelementptr":
                return self._address(i, known)
        return None

    def _counter(self, phi: Instruction) -> Step | None:
        """The step of a number that goes on by a constant."""
        counter = induction(self._loop, phi)
        return Step(counter.step, counter.signed, counter.unsigned) if counter is not None else None

    def _address(self, i: Instruction, known: list[Step]) -> Step | None:
        base, index, *rest = known
        if any(s.by for s in rest):
            return None
        if i.operands[1].type.scalar is not I64 and index.by and not index.signed:
            return None
        return Step(base.by + index.by * size_of(i.attributes["element_type"]), False, False)


def _exact(known: list[Step]) -> tuple[bool, bool]:
    return all(s.signed for s in known), all(s.unsigned for s in known)


def _flagged(i: Instruction, known: list[Step], by: int) -> Step:
    """The step of a number that does not wrap if its flags say so."""
    signed, unsigned = _exact(known)
    return Step(by, signed and "nsw" in i.flags, unsigned and "nuw" in i.flags)
