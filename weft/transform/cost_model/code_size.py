"""The size of the vector code of work-item loops, and a budget for code that exists in several versions.

A divergent loop may be compiled with several strategies; proved cases, in-bounds accesses and coherent lanes
have their own versions. In a kernel with many regions and nested loops these multiply, and LLVM takes time
for each instruction. Every loop has vector code with the shortest strategy, under masks, and a remainder. All
other code is charged to the budget of the kernel, for the hottest loops first; versions that exceed it are
omitted.

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

# The deepest nesting of loops that is vectorized.
MOST_NESTED = 24
# The most code that versions of loops may add to a kernel.
MOST_VERSIONS = 12_000
# Versions of a loop for coherent lanes, in addition to the general one (`coherent_loops.py`).
COHERENT_VERSIONS = 2
# Variants of a loop for proved cases, a fast path for in-bounds accesses, and a version for sequential
# work-items.
_CASES = 4


@unique
class TooLong(Message):
    """Versions that a loop does not get, because the kernel would become too long."""

    STRATEGIES = "{strategies} not tried: the code would be too long"
    UNMASKED = "no unmasked version: the code would be too long"
    COHERENT = "no version for coherent lanes: the code would be too long"
    FAST_PATH = "no version for in-bounds accesses: the code would be too long"
    CASE = "no version for {condition}: the code would be too long"


@dataclass
class CodeBudget:
    """The code that versions of a kernel's loops may still add, and the versions that were refused."""

    left: float = MOST_VERSIONS
    _refused: dict[Block, list[Reason]] = field(default_factory=dict)

    def allows(self, size: float, loop: Loop, what: TooLong, **arguments: Argument) -> bool:
        """Whether a loop may get code of a size; record a refusal."""
        if size > self.left:
            self._refused.setdefault(loop.header, []).append(Reason(what, **arguments))
        return size <= self.left

    def charge(self, size: float) -> None:
        """Record that code of a size is emitted."""
        self.left -= size

    def take(self, size: float, loop: Loop, what: TooLong, **arguments: Argument) -> bool:
        """Charge code of a size if a loop may get it; return whether it may."""
        if not self.allows(size, loop, what, **arguments):
            return False
        self.charge(size)
        return True

    def refused(self, header: Block) -> tuple[Reason, ...]:
        """Return what was refused to a loop."""
        return tuple(self._refused.get(header, ()))


def hotness(loop: Loop, forest: LoopForest, trips: int) -> float:
    """Estimate how often an instruction of a loop runs on average, if each loop has `trips` iterations."""
    runs = 0.0
    for block in loop.blocks:
        runs += float(trips) ** min(forest.depth(block), MOST_NESTED) * len(block.instructions)
    return runs / loop.size


def vector_size(loop: Loop, shape: Lanes, strategy: str, registers: float) -> float:
    """Return the size of a loop's vector code and its remainder.

    `strategy` is that of divergent loops (`strategies.py`), `registers` the number of registers per value.
    """
    return _size(loop, strategy, registers, lambda inner: inner.header in shape.masked)


def most_size(loop: Loop, target: Target, shape: Lanes | None = None) -> float:
    """Return the largest size that a loop may have; `shape` makes it more precise."""
    inner = [inner for child in loop.children for inner in child.nest()]
    if not any(shape is None or m.header in shape.masked for m in inner):
        return float(_CASES * loop.size)
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
    """Return the number of the given loops around each block; blocks in none are omitted."""
    levels: dict[Block, int] = {}
    for loop in loops:
        for block in loop.blocks:
            levels[block] = levels.get(block, 0) + 1
    return levels


def _copies(strategy: str, level: int, registers: float) -> float:
    """Return the copies of an instruction in `level` masked loops, including that in the remainder."""
    if strategy == "serial":
        return 2.0
    if strategy == "dvec":
        return level * registers + 2.0
    if strategy == "dvec-s":
        return (level + 2) * registers
    return 2 * registers
