"""Operations across the lanes of a sub-group, which passes put in place of its functions.

    weft.cross_lane.<size>.<kind>[.<operation>].<type>

Each of the `size` work-items of a sub-group gives the first argument and gets a result. Kinds:

- `reduce`: all values combined, the same for all;
- `broadcast`: the value of the work-item whose place the second argument is, the same for all;
- `ballot`: a bit for each work-item, set if its value (`i1`) is, the same for all;
- `shuffle`: the value of the work-item whose place the second argument is;
- `scan_inclusive`, `scan_exclusive`: the values of the work-items up to, or before, the own one combined;
- `cluster`: the values of a cluster of work-items combined, whose number the second argument is, a constant.

Places are less than `size`. All work-items of a sub-group make a call together, or none. They are the lanes
of a pass through vector code, which begins at a multiple of `size`: no other code has such calls.
"""

from functools import cache

from weft.dataclasses import dataclass
from weft.ir import Instruction
from weft.ir.loops import Loop
from weft.ir.types import Type, VectorType

PREFIX = "weft.cross_lane."
# Kinds whose result is the same for all work-items of a sub-group.
_SAME_FOR_ALL = frozenset(("reduce", "broadcast", "ballot"))


@dataclass(frozen=True)
class CrossLane:
    """An operation across lanes; `operation` is that of reductions and scans, as `add` or `umin`."""

    size: int
    kind: str
    operation: str = ""

    @property
    def same_for_all(self) -> bool:
        """Whether the result is the same in all lanes."""
        return self.kind in _SAME_FOR_ALL

    def symbol(self, type: Type) -> str:
        """The name of the operation on values of a type."""
        spelled = f"v{type.count}.{type.element}" if isinstance(type, VectorType) else f"{type}"
        words = (self.operation, spelled) if self.operation else (spelled,)
        return f"{PREFIX}{self.size}.{self.kind}.{'.'.join(words)}"


@cache
def _named(symbol: str) -> CrossLane:
    size, kind, *rest = symbol.removeprefix(PREFIX).split(".")
    combines = kind in ("reduce", "cluster", "scan_inclusive", "scan_exclusive")
    return CrossLane(int(size), kind, rest[0] if combines else "")


def cross_lane(instruction: Instruction) -> CrossLane | None:
    """The operation across lanes that an instruction is, if it is one."""
    name = instruction.callee_name
    return _named(name) if name.startswith(PREFIX) else None


def is_cross_lane(instruction: Instruction) -> bool:
    """Whether an instruction is an operation across lanes."""
    return instruction.callee_name.startswith(PREFIX)


def cross_lane_size(loop: Loop) -> int:
    """The size of the sub-groups whose work-items have operations across lanes in a loop; 0: none have."""
    return next((found.size for i in loop.instructions() if (found := cross_lane(i)) is not None), 0)
