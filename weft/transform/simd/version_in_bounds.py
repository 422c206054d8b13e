"""Version the body of a work-item loop for in-bounds accesses: a fast path, and a slow path for the rest.

    for (x …)                                 for (x …)
      … a[clamp(x + 1, 0, w - 1)] …             if (x + 1 >= 0 && x + 1 <= w - 1 in all lanes)
                                                  … a[x + 1] …
                                                else
                                                  … a[clamp(x + 1, 0, w - 1)] …

Away from the edges of a picture, minima and maxima of indices leave them as they are, and `(x + 1 + w) % w`
is x + 1. There, the addresses of lanes are consecutive, and nothing is computed for the edge. One condition
covers all such indices of the body, those of inner loops too (`analysis/affine_ranges.py`). It is tested once
for the lanes of a pass: of consecutive numbers, the first or the last lane decides for all.

`plan_in_bounds` finds the condition and what follows from it, by analyses alone. The cost model prices the
loop by its fast path. `version_in_bounds` adds that when the loop is about to become vector code: the
comparisons are marked as meant for all lanes (`analysis/lanes.py`: EVERY), which only vector code uses.

Requires a work-item loop whose latch does nothing but count. Refuses bodies of more than LARGEST
instructions, and more than MOST_CONDITIONS different comparisons. Linear time.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import unique

from weft.analysis.affine import Affine
from weft.analysis.affine_ranges import ZERO, AffineRange, AffineRanges
from weft.analysis.evolution import Evolution
from weft.analysis.induction import only_counts
from weft.analysis.lanes import EVERY, NOTHING_ASSUMED, Assumed, Lanes, lanes
from weft.analysis.memory_effects import reads_images
from weft.dataclasses import dataclass, replace
from weft.ir import Block, ConstantInt, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.loops import Loop, LoopForest
from weft.ir.symbols import extremum
from weft.ir.types import I32, I64, size_of
from weft.ir.values import const_int
from weft.remarks import Message, Reason

from .counted_loop import counter_of
from .version_loop import LoopVersion, copy_blocks
from .wide_memory import MAX_STRIDE

# Instructions of a body that may be there twice.
LARGEST = 600
# Different comparisons: two for an index, three for one without sign.
MOST_CONDITIONS = 6
# Fewer work-items are passes over a few vectors: of positions in a work-group, none would be in bounds.
FEWEST = 64
# A constant that many work-items are beyond is no edge.
EDGE = 64
_REMAINDERS = ("srem", "urem")
# What an index goes through on its way to an address.
_INDEXING = ("add", "sub", "mul", "shl", "or", "sext", "zext", "trunc", "getelementptr")


@unique
class FastPath(Message):
    """What is added to a loop."""

    ADDED = "fast path for in-bounds indices, selected by {comparisons} comparisons"


# What an instruction is on the fast path: one of its operands, by number, less another one if there is one.
Same = tuple[int, int | None]
# That, expressions that must not be negative for it, and sums that do not wrap then.
Found = tuple[Same, list[Affine], frozenset[Instruction]]


@dataclass(frozen=True)
class InBounds:
    """A condition and facts: if no expression of `conditions` is negative, instructions are what `same` says.

    `shape` is what is known of the loop's values then. `sums` do not wrap, though nothing promises that.
    """

    conditions: tuple[Affine, ...]
    same: Mapping[Instruction, Same]
    shape: Lanes
    sums: tuple[Instruction, ...] = ()

    @property
    def reason(self) -> Reason:
        """What is added."""
        return Reason(FastPath.ADDED, comparisons=len(self.conditions))

    @property
    def operations(self) -> int:
        """What the test takes in simple operations, with its branch."""
        terms = sum(1 + (factor != 1) for c in self.conditions for _, factor in c.terms)
        return terms + 2 * len(self.conditions)

    def cost_of(self, i: Instruction) -> float | None:
        """What an instruction costs on the fast path, where it is another one; None if it is the same."""
        return None if i not in self.same else 0.0 if self.same[i][1] is None else 1.0


def plan_in_bounds(function: Function, loop: Loop, forest: LoopForest, shape: Lanes) -> InBounds | None:
    """The fast path of a work-item loop, if it has one on which more addresses are consecutive.

    `shape` is what is known of the loop in general.
    """
    if not any(_is_bound(i) or i.opcode in _REMAINDERS for i in loop.instructions()):
        return None
    found = counter_of(loop)
    if found is None:
        return None
    counter, limit = found
    size = sum(len(block.instructions) for block in loop.blocks)
    diverge = bool(shape.divergent_loops) or any(m.header in shape.masked for m in loop.children)
    if size > LARGEST or diverge or not _only_counts(loop, counter):
        return None
    # Coordinates of images are OpenCL's vectors, whose sums may wrap.
    ranges = AffineRanges(loop, counter, forest, may_wrap=reads_images(function))
    same, conditions, exact = _same(loop, counter, ranges, shape)
    if not same or len(conditions) > MOST_CONDITIONS or not all(c.terms for c in conditions):
        return None
    few = isinstance(limit, ConstantInt) and limit.value < FEWEST
    if few and any(_is_local(c, counter) for c in conditions):
        return None
    sums = tuple(i for i in loop.instructions() if i in exact)
    in_bounds = _fast_lanes(function, loop, counter, forest, same, sums)
    fast = InBounds(tuple(conditions), same, in_bounds, sums)
    return fast if _far(loop.blocks, fast.shape) < _far(loop.blocks, shape) else None


def _fast_lanes(
    function: Function,
    loop: Loop,
    counter: Instruction,
    forest: LoopForest,
    same: Mapping[Instruction, Same],
    sums: Iterable[Instruction],
) -> Lanes:
    """The lanes of the fast path: instructions have the shape of what they are there."""
    known: dict[Value, Evolution] = {}
    while True:
        shape = lanes(function, loop, counter, forest, Assumed(known, 0))
        more: dict[Value, Evolution] = {
            i: found if less is None or not found.stride else found._replace(unsigned=False)
            for i, (kept, less) in same.items()
            if i not in known and (found := shape.of(i.operands[kept])) is not None
        }
        for i in sums:
            found = shape.of(i)
            if i not in known and found is not None and not (found.signed and not found.needs):
                more[i] = found._replace(signed=True, needs=frozenset())
        if not more:
            return replace(shape, assumed=NOTHING_ASSUMED)
        known |= more


def version_in_bounds(function: Function, loop: Loop, found: InBounds, of: LoopVersion) -> list[Block]:
    """Add the fast path to the body of a work-item loop; returns its blocks.

    The loop is a version of the one that the fast path was found for.
    """
    latch = loop.latch
    assert latch is not None
    slow = loop.header.split(1)
    body = [slow, *(block for block in loop.blocks if block not in (loop.header, latch))]
    loop.header.terminator.erase()
    b = Builder(loop.header)
    inside: Value | None = None
    for condition in found.conditions:
        terms = tuple((of.value(value), factor) for value, factor in condition.terms)
        holds = _comparison(b, Affine(terms, condition.constant))
        inside = holds if inside is None else b.binary("and", inside, holds)
    assert inside is not None
    values: dict[Value, Value] = {}
    fast = copy_blocks(function, body, "in_bounds", values)
    for old in found.sums:
        new = values[of.value(old)]
        assert isinstance(new, Instruction)
        new.flags = (*new.flags, "nsw")
    for old, (kept, less) in found.same.items():
        new = values[of.value(old)]
        assert isinstance(new, Instruction) and new.block is not None
        value = new.operands[kept]
        if less is not None:
            value = Builder(new.block, new).sub(value, new.operands[less], None, ("nsw",))
        new.replace_all_uses_with(value)
        new.erase()
    b.cond_br(inside, fast[0], slow)
    return fast


def _only_counts(loop: Loop, counter: Instruction) -> bool:
    """Whether a loop has a latch of its own that only counts, and nothing else happens around its body."""
    return loop.header.phis() == [counter] and loop.preheader is not None and only_counts(loop, counter)


def _same(
    loop: Loop, counter: Instruction, ranges: AffineRanges, shape: Lanes
) -> tuple[dict[Instruction, Same], list[Affine], set[Instruction]]:
    """The instructions that do nothing on the fast path, expressions that are not negative there, and sums
    that do not wrap then.
    """
    sums: set[Instruction] = set()
    same: dict[Instruction, Same] = {}
    conditions: list[Affine] = []
    for i in list(loop.instructions()):
        if not shape.is_varying(i) or not (_is_bound(i) or i.opcode in _REMAINDERS) or not _is_index(i, loop):
            continue
        found = _bounded(i, ranges, counter) if _is_bound(i) else _remainder(i, ranges, counter)
        if found is None:
            continue
        same[i], stated, exact = found
        kept, less = same[i]
        conditions += stated
        sums |= exact
        if less is None:
            ranges.same[i] = i.operands[kept]
    return same, _strongest(conditions), sums


def _bounded(i: Instruction, ranges: AffineRanges, counter: Instruction) -> Found | None:
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
    kind = extremum(i.callee_name)
    largest, unsigned = kind.endswith("max"), kind[0] == "u"
    if isinstance(limit, ConstantInt) and (limit.signed > EDGE if largest else limit.signed < EDGE):
        return None
    stated = [*index.conditions, *bound.conditions]
    stated += [index.low, bound.low] if unsigned else []
    stated.append(index.low.plus(bound.high, -1) if largest else bound.low.plus(index.high, -1))
    return (kept, None), stated, index.sums | bound.sums


def _remainder(i: Instruction, ranges: AffineRanges, counter: Instruction) -> Found | None:
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
    least = by if around else ZERO
    most = least.plus(by).low.plus(Affine((), 1), -1)
    stated = [*number.conditions, *by.conditions]
    stated += [number.low.plus(least.low, -1), most.plus(number.high, -1)]
    return (0, 1 if around else None), stated, number.sums | by.sums


def _moves(span: AffineRange, counter: Instruction) -> bool:
    """Whether a number differs between work-items."""
    return bool(span.low.factor_of(counter) or span.high.factor_of(counter))


def _is_bound(i: Instruction) -> bool:
    return i.type in (I32, I64) and bool(extremum(i.callee_name))


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


def _comparison(b: Builder, condition: Affine) -> Instruction:
    """Whether an expression is not negative in any lane."""
    total: Value = const_int(I64, condition.constant)
    for value, factor in condition.terms:
        term = b.cast("sext", _frozen(b, value), I64)
        if factor != 1:
            term = b.binary("mul", term, const_int(I64, factor), None, ("nsw",))
        total = b.binary("add", term, total, None, ("nsw",))
    holds = b.icmp("sge", total, const_int(I64, 0))
    assert isinstance(holds, Instruction)
    holds.metadata[EVERY] = b.block.parent.parent.add_metadata("!{}")
    return holds


def _frozen(b: Builder, value: Value) -> Value:
    """A number to branch on though not every work-item may use it: where it is poison, any number."""
    if isinstance(value, Instruction) and value.opcode not in ("load", "phi", "trunc"):
        return b.emit("freeze", value.type, [value])
    return value


def _far(blocks: Iterable[Block], shape: Lanes) -> int:
    """How many accesses are not to one place, or to places so near that whole registers are loaded."""
    return sum(
        (found := shape.of(i.operands[-1])) is None
        or abs(found.stride) > MAX_STRIDE * size_of(i.accessed_type)
        for i in accesses_of(blocks)
    )


def accesses_of(blocks: Iterable[Block]) -> Iterator[Instruction]:
    """The loads and stores of blocks."""
    return (i for block in blocks for i in block.instructions if i.opcode in ("load", "store"))
