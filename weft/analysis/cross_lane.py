"""Operations across the lanes of a sub-group, by which passes replace sub-group functions.

    weft.cross_lane.<size>.<kind>[.<operation>].<type>

Each of the `size` work-items of a sub-group passes a value as the first argument and gets a result. Kinds:

- `reduce`: all values combined, the same for all;
- `broadcast`: the value of the work-item at the index in the second argument, the same for all;
- `ballot`: a bit for each work-item, set if its value (`i1`) is, the same for all;
- `shuffle`: the value of the work-item at the index in the second argument;
- `scan_inclusive`, `scan_exclusive`: the values up to and including, or before, the own one combined;
- `cluster`: the values of a cluster of work-items combined; its size is the second argument, a constant.

Indices are less than `size`. Either all work-items of a sub-group make a call together, or none. They are the
lanes of one vector iteration, which begins at a multiple of `size`. Such calls occur nowhere else.
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
    """An operation across lanes; `operation` is that of reductions and scans, such as `add` or `umin`."""

    size: int
    kind: str
    operation: str = ""

    @property
    def same_for_all(self) -> bool:
        """Whether the result is the same in all lanes."""
        return self.kind in _SAME_FOR_ALL

    def symbol(self, type: Type) -> str:
        """Return the name of the operation on values of a type."""
        spelled = f"v{type.count}.{type.element}" if isinstance(type, VectorType) else f"{type}"
        words = (self.operation, spelled) if self.operation else (spelled,)
        return f"{PREFIX}{self.size}.{self.kind}.{'.'.join(words)}"


@cache
def _named(symbol: str) -> CrossLane:
    size, kind, *rest = symbol.removeprefix(PREFIX).split(".")
    combines = kind in ("reduce", "cluster", "scan_inclusive", "scan_exclusive")
    return CrossLane(int(size), kind, rest[0] if combines else "")


def cross_lane(instruction: Instruction) -> CrossLane | None:
    """Return the operation across lanes that an instruction calls, if any."""
    name = instruction.callee_name
    return _named(name) if name.startswith(PREFIX) else None


def is_cross_lane(instruction: Instruction) -> bool:
    """Whether an instruction is an operation across lanes."""
    return instruction.callee_name.startswith(PREFIX)


def cross_lane_size(loop: Loop) -> int:
    """Return the size of the sub-groups with operations across lanes in a loop; 0 if there are none."""
    return next((operation.size for i in loop.instructions() if (operation := cross_lane(i)) is not None), 0)
