"""Version the body of a work-item loop for in-bounds accesses: a fast path, and one for all work-items.

    for (x …)                                 for (x …)
      … a[clamp(x + 1, 0, w - 1)] …             if (x + 1 >= 0 && x + 1 <= w - 1 in all lanes)
                                                  … a[x + 1] …
                                                else
                                                  … a[clamp(x + 1, 0, w - 1)] …

Away from the edges of a picture, minima and maxima of indices leave them as they are, and `(x + 1 + w) % w`
is x + 1. There, the addresses of lanes are side by side, and nothing is computed for the edge. The condition
is one for all such indices of the body, those of inner loops too (`analysis/affine_ranges.py`). It is tested
once for the lanes of a pass: of consecutive numbers, the first or the last lane decides for all.

The comparisons are marked as meant for all lanes (`analysis/lanes.py`: EVERY), which is of use in no other
code than the vector code that is made next. So the interior is taken away again (`Interior.remove`) from what
stays scalar, or runs under a mask.

Requires a work-item loop whose latch does nothing but count. Refuses bodies of more than LARGEST
instructions, and what would ask more than MOST_CONDITIONS different questions. Linear time.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import unique

from weft.analysis.affine_ranges import Affine, AffineRange, AffineRanges
from weft.analysis.induction import only_counts
from weft.analysis.lanes import EVERY, Lanes, lanes
from weft.ir import Block, ConstantInt, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import clone_blocks
from weft.ir.loops import Loop, LoopForest, loop_forest
from weft.ir.types import I32, I64, size_of
from weft.ir.values import const_int
from weft.remarks import Message, Reason

from .counted_loop import counted
from .version_loop import make_distinct_loop_id
from .wide_memory import MAX_STRIDE

# Instructions of a body that may be there twice.
LARGEST = 600
# Different comparisons: two for an index, three for one without sign.
MOST_CONDITIONS = 6
# Fewer work-items are passes over a few vectors: of positions in a work-group, none would be in the interior.
FEWEST = 64
# A constant that many work-items are beyond is no edge.
EDGE = 64
_BOUNDS = ("llvm.smax.", "llvm.smin.", "llvm.umax.", "llvm.umin.")
_REMAINDERS = ("srem", "urem")
# What an index goes through on its way to an address.
_INDEXING = ("add", "sub", "mul", "shl", "or", "sext", "zext", "trunc", "getelementptr")


@unique
class InBounds(Message):
    """What is added to a loop."""

    FAST_PATH = "code of its own where no index is cut off or wraps around, by {comparisons} comparisons"


@dataclass(frozen=True)
class Interior:
    """The interior of a work-item loop: its blocks, those of the general code, and the branch to either.

    `accesses` are the loads and stores of the interior.
    """

    function: Function
    blocks: tuple[Block, ...]
    general: tuple[Block, ...]
    branch: Instruction
    accesses: frozenset[Instruction]
    questions: int

    @property
    def reason(self) -> Reason:
        """What was added."""
        return Reason(InBounds.FAST_PATH, comparisons=self.questions)

    def remove(self) -> None:
        """Leaves only the general code."""
        asked = self.branch.operands[0]
        self.branch.set_operands([self.general[0]])
        _drop(asked)
        for block in self.blocks:
            for instruction in block.instructions:
                instruction.set_operands(())
        for block in self.blocks:
            self.function.remove_block(block)


def may_have_interior(loop: Loop) -> bool:
    """Whether a loop has instructions that could do nothing in its interior."""
    return any(_is_bound(i) or i.opcode in _REMAINDERS for block in loop.blocks for i in block.instructions)


def add_interior(function: Function, loop: Loop, forest: LoopForest, shape: Lanes) -> Interior | None:
    """Adds the interior of a work-item loop, if more addresses are in line there; `shape` is its lanes."""
    counter, limit = counted(loop)
    latch = loop.latch
    assert latch is not None
    body = [block for block in loop.blocks if block not in (loop.header, latch)]
    size = sum(len(block.instructions) for block in loop.blocks)
    diverge = bool(shape.divergent_loops) or any(m.header in shape.masked for m in loop.children)
    if size > LARGEST or diverge or not _only_counts(loop, counter):
        return None
    idle, conditions = _idle(loop, counter, forest, shape)
    if not idle or len(conditions) > MOST_CONDITIONS or not all(c.terms for c in conditions):
        return None
    if (
        isinstance(limit, ConstantInt)
        and limit.value < FEWEST
        and any(_is_local(c, counter) for c in conditions)
    ):
        return None
    first = loop.header.split(1)
    body.insert(0, first)
    loop.header.terminator.erase()
    b = Builder(loop.header)
    inside: Value | None = None
    for condition in conditions:
        asked = _question(b, condition)
        inside = asked if inside is None else b.binary("and", inside, asked)
    assert inside is not None
    values: dict[Value, Value] = {}
    copies = clone_blocks(body, function, values, "interior")
    module = function.module
    assert module is not None
    for copy in copies:
        make_distinct_loop_id(copy, module)
    for old, (kept, less) in idle.items():
        new = values[old]
        assert isinstance(new, Instruction) and new.block is not None
        same = new.operands[kept]
        if less is not None:
            same = Builder(new.block, new).sub(same, new.operands[less], None, ("nsw",))
        new.replace_all_uses_with(same)
        new.erase()
    branch = b.cond_br(inside, copies[0], first)
    made = Interior(
        function, tuple(copies), tuple(body), branch, frozenset(_accesses(copies)), len(conditions)
    )
    if not _gains(function, loop, counter, made):
        made.remove()
        return None
    return made


def _only_counts(loop: Loop, counter: Instruction) -> bool:
    """Whether a loop has a latch of its own that only counts, and nothing else happens around its body."""
    return loop.header.phis() == [counter] and loop.preheader is not None and only_counts(loop, counter)


# What an instruction is in the interior: one of its operands, by number, less another one if there is one.
Same = tuple[int, int | None]
Idle = dict[Instruction, Same]


def _idle(loop: Loop, counter: Instruction, forest: LoopForest, shape: Lanes) -> tuple[Idle, list[Affine]]:
    """The instructions that do nothing in the interior, and expressions that are not negative there."""
    ranges = AffineRanges(loop, counter, forest)
    idle: Idle = {}
    conditions: list[Affine] = []
    for i in [i for block in loop.blocks for i in block.instructions]:
        if not shape.is_varying(i) or not (_is_bound(i) or i.opcode in _REMAINDERS) or not _is_index(i, loop):
            continue
        found = _bounded(i, ranges, counter) if _is_bound(i) else _remainder(i, ranges, counter)
        if found is None:
            continue
        idle[i], stated = found
        kept, less = idle[i]
        conditions += stated
        if less is None:
            ranges.same[i] = i.operands[kept]
    return idle, _strongest(conditions)


def _bounded(i: Instruction, ranges: AffineRanges, counter: Instruction) -> tuple[Same, list[Affine]] | None:
    """A minimum or maximum of an index and a bound that is the same for all work-items: it is the index."""
    index, bound = (ranges.of(argument) for argument in i.arguments)
    if index is None or bound is None:
        return None
    kept = 0
    if _moves(bound, counter):
        kept, index, bound = 1, bound, index
    if not _moves(index, counter) or _moves(bound, counter):
        return None
    limit = i.operands[1 - kept]
    assert i.called_function is not None
    name = i.called_function.name or ""
    largest, unsigned = "max" in name, name.startswith("llvm.u")
    if isinstance(limit, ConstantInt) and (limit.signed > EDGE if largest else limit.signed < EDGE):
        return None
    stated = [*index.conditions, *bound.conditions]
    stated += [index.low, bound.low] if unsigned else []
    stated.append(index.low.plus(bound.high, -1) if largest else bound.low.plus(index.high, -1))
    return (kept, None), stated


def _remainder(
    i: Instruction, ranges: AffineRanges, counter: Instruction
) -> tuple[Same, list[Affine]] | None:
    """The remainder of a number that is an index next to another: it is the index, or that less the divisor.

    `(x - 1 + w) % w` and `(x + 1) % w`; an id by itself is rather the number of an element in rows.
    """
    value, divisor = i.operands
    number, by = ranges.of(value), ranges.of(divisor)
    if number is None or by is None or by.low != by.high or len(by.low.terms) != 1 or by.low.constant:
        return None
    if not _moves(number, counter) or _moves(by, counter):
        return None
    ((leaf, _),) = by.low.terms
    around = number.low.factor_of(leaf) == number.high.factor_of(leaf) == 1
    if not around and number.low.constant == 0 == number.high.constant:
        return None
    least = by if around else AffineRange(Affine((), 0), Affine((), 0))
    most = least.plus(by).low.plus(Affine((), 1), -1)
    stated = [*number.conditions, *by.conditions]
    stated += [number.low.plus(least.low, -1), most.plus(number.high, -1)]
    return (0, 1 if around else None), stated


def _moves(span: AffineRange, counter: Instruction) -> bool:
    """Whether a number differs between work-items."""
    return bool(span.low.factor_of(counter) or span.high.factor_of(counter))


def _is_bound(i: Instruction) -> bool:
    callee = i.called_function if i.opcode == "call" and i.type in (I32, I64) else None
    return callee is not None and (callee.name or "").startswith(_BOUNDS)


def _is_index(i: Instruction, loop: Loop) -> bool:
    """Whether a number is used for addresses alone, perhaps by way of others like it."""
    seen = {i}
    work = [i]
    reached = False
    while work:
        for user in work.pop().users:
            if user.block not in loop.blocks:
                return False
            if user.opcode in ("load", "store"):
                reached = True
            elif user.opcode in _INDEXING or user.opcode in _REMAINDERS or _is_bound(user):
                if user not in seen:
                    seen.add(user)
                    work.append(user)
            else:
                return False
    return reached


def _is_local(condition: Affine, counter: Instruction) -> bool:
    """Whether a condition is about the position in a work-group, not about that in the whole range."""
    moved = condition.factor_of(counter)
    return moved != 0 and not any(f == moved for value, f in condition.terms if value is not counter)


def _strongest(conditions: Iterable[Affine]) -> list[Affine]:
    """Of conditions that differ by a constant, the one that the others follow from."""
    found: dict[frozenset[tuple[Value, int]], Affine] = {}
    for condition in conditions:
        key = frozenset(condition.terms)
        if key not in found or condition.constant < found[key].constant:
            found[key] = condition
    return [c for c in found.values() if c.terms or c.constant < 0]


def _question(b: Builder, condition: Affine) -> Instruction:
    """Whether an expression is not negative in any lane."""
    total: Value = const_int(I64, condition.constant)
    for value, factor in condition.terms:
        term = b.cast("sext", _settled(b, value), I64)
        if factor != 1:
            term = b.binary("mul", term, const_int(I64, factor), None, ("nsw",))
        total = b.binary("add", term, total, None, ("nsw",))
    asked = b.icmp("sge", total, const_int(I64, 0))
    assert isinstance(asked, Instruction)
    function = b.block.function
    assert function is not None and function.module is not None
    module = function.module
    asked.metadata[EVERY] = module.add_metadata("!{}")
    return asked


def _settled(b: Builder, value: Value) -> Value:
    """A number to branch on though not every work-item may use it: where it is poison, any number."""
    if isinstance(value, Instruction) and value.opcode not in ("load", "phi", "trunc"):
        return b.emit("freeze", value.type, [value])
    return value


def _gains(function: Function, loop: Loop, counter: Instruction, made: Interior) -> bool:
    """Whether lanes access more by whole registers in the interior than elsewhere."""
    forest = loop_forest(function)
    grown = next(m for m in forest.loops if m.header is loop.header)
    shape = lanes(function, grown, counter, forest)
    return _apart(made.blocks, shape) < _apart(made.general, shape)


def _apart(blocks: Iterable[Block], shape: Lanes) -> int:
    """How many accesses are not to one place, or to places so near that whole registers are loaded."""
    return sum(
        (found := shape.of(i.operands[-1])) is None
        or abs(found.stride) > MAX_STRIDE * size_of((i if i.opcode == "load" else i.operands[0]).type)
        for i in _accesses(blocks)
    )


def _accesses(blocks: Iterable[Block]) -> Iterator[Instruction]:
    return (i for block in blocks for i in block.instructions if i.opcode in ("load", "store"))


def _drop(value: Value) -> None:
    """Erases what nobody in a block asks for any more."""
    block = value.block if isinstance(value, Instruction) else None
    work = [value]
    while work:
        value = work.pop()
        if isinstance(value, Instruction) and value.block is block and value.opcode != "phi":
            if value.users:
                continue
            work += value.operands
            value.erase()
