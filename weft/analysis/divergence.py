"""Divergence analysis: which values and branches may differ between the work-items of a group.

A value is *uniform* if all work-items that compute it at the same time get the same result, otherwise
*divergent*; a branch is divergent if its condition is. The passes that form the work-group function use this
view of the shape analysis (`shapes.py`).

They compute a uniform value once for all work-items, so the results do not rely on flags such as `nsw`, which
hold only for work-items whose value is not poison.
"""

from collections.abc import Iterable

from weft.dataclasses import dataclass
from weft.ir import Block, Function, Value
from weft.ir.types import VOID

from .shapes import shapes


@dataclass(frozen=True)
class Divergence:
    """The result: values and blocks that are not listed are uniform."""

    values: frozenset[Value]
    blocks: frozenset[Block]

    def is_uniform(self, value: Value) -> bool:
        """Whether all work-items that compute the value at the same time get the same result."""
        return value not in self.values

    def is_divergent_branch(self, block: Block) -> bool:
        """Whether work-items may leave the block in different directions."""
        terminator = block.terminator
        return len(terminator.operands) > 1 and terminator.operands[0] in self.values

    def runs_uniformly(self, block: Block) -> bool:
        """Whether all work-items run the block at the same times."""
        return block not in self.blocks

    def extended(self, values: Iterable[Value], blocks: Iterable[Block]) -> "Divergence":
        """Return the result for the function with added divergent values and blocks."""
        return Divergence(self.values.union(values), self.blocks.union(blocks))


def divergence(
    function: Function,
    local_size: tuple[int, int, int] | None = None,
    wide: bool = False,
    several_sub_groups: bool = False,
) -> Divergence:
    """Analyse a kernel, for groups of a local size if it is given: ids are uniform in dimensions of size 1.

    The work-items are those of a group, or of one sub-group in kernels that query theirs; with
    `several_sub_groups`, those of a group in such kernels too.
    """
    result = shapes(function, local_size, wide, flags=False, several_sub_groups=several_sub_groups)
    values = frozenset(i for i in function.instructions() if i.type is not VOID and not result.is_uniform(i))
    return Divergence(values, frozenset(b for b in function.blocks if not result.runs_uniformly(b)))
