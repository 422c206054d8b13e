"""How long the vector code of work-item loops becomes, and a budget for code that is there several times.

A divergent loop may be compiled with several strategies; proved cases, in-bounds accesses and coherent lanes
have code of their own. In a kernel with many regions and nested loops these multiply, and LLVM takes time for
each instruction. What every loop has is vector code with the shortest strategy, under masks, and a remainder.
All else is charged to the budget of the kernel, for the hottest loops first; a loop does without what is
refused.

The unit is an instruction of a work-item for the lanes of one register. A value of 64 lanes takes several.
"""

from collections.abc import Callable, Iterable
from enum import unique

from weft.analysis.evolution import MOST_LANES
from weft.analysis.lanes import Lanes
from weft.dataclasses import dataclass, field
from weft.ir import Block
from weft.ir.loops import Loop, LoopForest
from weft.messages import Argument, Message, Reason
from weft.target import Target

# Loops around one another that lanes run; deeper ones are left alone.
MOST_NESTED = 24
# What code that is there several times may add to a kernel.
MOST_VERSIONS = 12_000
# Versions of a loop for coherent lanes, beside that for others (`coherent_loops.py`).
COHERENT_VERSIONS = 2
# Variants of a loop for proved cases, and a fast path for in-bounds accesses.
_CASES = 3


@unique
class TooLong(Message):
    """What a loop has no code of its own for, because the kernel would become too long."""

    STRATEGIES = "{strategies} not tried: the code would be too long"
    UNMASKED = "no unmasked version: the code would be too long"
    COHERENT = "no version for coherent lanes: the code would be too long"
    FAST_PATH = "no version for in-bounds accesses: the code would be too long"
    CASE = "no version for {condition}: the code would be too long"


@dataclass
class CodeBudget:
    """What versions of the loops of a kernel may still add to it, and what was refused."""

    left: float = MOST_VERSIONS
    _refused: dict[Block, list[Reason]] = field(default_factory=dict)

    def allows(self, size: float, loop: Loop, what: TooLong, **arguments: Argument) -> bool:
        """Whether a loop may have code of a size; it is noted if not."""
        if size > self.left:
            self._refused.setdefault(loop.header, []).append(Reason(what, **arguments))
        return size <= self.left

    def charge(self, size: float) -> None:
        """Note that code of a size is emitted."""
        self.left -= size

    def take(self, size: float, loop: Loop, what: TooLong, **arguments: Argument) -> bool:
        """Charge code of a size if a loop may have it."""
        if not self.allows(size, loop, what, **arguments):
            return False
        self.charge(size)
        return True

    def refused(self, header: Block) -> tuple[Reason, ...]:
        """What was refused to a loop."""
        return tuple(self._refused.get(header, ()))


def length(loop: Loop) -> int:
    """The instructions of a loop."""
    return sum(len(block.instructions) for block in loop.blocks)


def hotness(loop: Loop, forest: LoopForest, trips: int) -> float:
    """How often an instruction of a loop runs on average, if each loop has so many iterations."""
    runs = 0.0
    for block in loop.blocks:
        runs += float(trips) ** min(forest.depth(block), MOST_NESTED) * len(block.instructions)
    return runs / length(loop)


def vector_size(loop: Loop, shape: Lanes, strategy: str, registers: float) -> float:
    """What the vector code of a loop has, and its remainder.

    `strategy` is that of divergent loops (`strategies.py`), `registers`: those of a value.
    """
    return _size(loop, strategy, registers, lambda inner: inner.header in shape.masked)


def most_size(loop: Loop, target: Target, shape: Lanes | None = None) -> float:
    """The most that a loop may need; less is certain if it is known what is under masks."""
    inner = [inner for child in loop.children for inner in child.nest()]
    if not any(shape is None or m.header in shape.masked for m in inner):
        return float(_CASES * length(loop))
    most = 2 * MOST_LANES / target.lanes(32)  # registers of values of 64 bits
    return sum(
        count * _size(loop, strategy, registers, lambda inner: shape is None or inner.header in shape.masked)
        for strategy, registers, count in (
            ("dvec-s", 2.0, 1 + COHERENT_VERSIONS),
            ("dvec", most, 1),
            ("serial", 1.0, 1),
        )
    )


def _size(loop: Loop, strategy: str, registers: float, is_masked: Callable[[Loop], bool]) -> float:
    levels = _levels(inner for child in loop.children for inner in child.nest() if is_masked(inner))
    size = 0.0
    for block in loop.blocks:
        level = levels.get(block, 0)
        size += len(block.instructions) * (_copies(strategy, level, registers) if level else 2 * registers)
    return size


def _levels(loops: Iterable[Loop]) -> dict[Block, int]:
    """In how many of some loops blocks are; those in none are left out."""
    found: dict[Block, int] = {}
    for loop in loops:
        for block in loop.blocks:
            found[block] = found.get(block, 0) + 1
    return found


def _copies(strategy: str, level: int, registers: float) -> float:
    """What an instruction becomes that is in so many loops under masks, that in the remainder counted."""
    if strategy == "serial":
        return 2.0
    if strategy == "dvec":
        return level * registers + 2.0
    if strategy == "dvec-s":
        return (level + 2) * registers
    return 2 * registers
