"""Version a loop: copies of it, each entered by a block of its own, of which the caller chooses one.

    preheader:                                preheader:
      br label %loop                            br i1 %condition, label %fast, label %slow
                                    becomes   fast: br label %loop             ; the condition is a fact here
                                              slow: br label %loop.purpose     ; a copy

All passes that have a loop several times use this: for complete and partial work-groups
(`version_complete_groups.py`), for sums that do not wrap (`version_wrapping_guards.py`), for in-bounds
accesses (`version_in_bounds.py`), for the strategies of divergent loops (`loop_choice.py`), for index sets
(`split_index_sets.py`), for pieces of rows (`strip_mine_rows.py`), for one lane at a time
(`serialization.py`). Copies know what they are of and what for (`Block.origin`).

Requires a loop with a preheader. What the loop hands out by phis at its exits is the caller's concern.
Linear in the size of the loop.
"""

from collections.abc import Sequence

from weft.dataclasses import dataclass
from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap, clone_blocks
from weft.ir.loops import Loop
from weft.ir.metadata import make_distinct_loop_id


@dataclass(frozen=True)
class LoopVersion:
    """A loop or a copy of it; `values` has what stands in the copy for blocks and values of the loop."""

    loop: Loop
    values: ValueMap

    def value(self, value: Value) -> Value:
        """A value of the loop in this version; other values are the same in all."""
        return self.values.get(value, value)

    def block(self, block: Block) -> Block:
        """A block of the loop in this version."""
        found = self.value(block)
        assert isinstance(found, Block)
        return found

    def instruction(self, instruction: Instruction) -> Instruction:
        """An instruction of the loop in this version."""
        found = self.value(instruction)
        assert isinstance(found, Instruction)
        return found

    @property
    def header(self) -> Block:
        return self.block(self.loop.header)

    def enter(self, entry: Block, preheader: Block) -> None:
        """Have an empty block be the preheader, in place of the loop's."""
        Builder(entry).br(self.header)
        for phi in self.header.phis():
            phi.replace_operand(preheader, entry)


def copy_loop(
    function: Function, loop: Loop, purpose: str, values: ValueMap | None = None, distinct: bool = True
) -> LoopVersion:
    """Copy a loop; `values` has what stands in the copy for values from outside.

    The copy is entered from where the loop is, until `LoopVersion.enter` tells otherwise, and left to where
    the loop is. `distinct`: the loops of the copy are others for LLVM.
    """
    found: ValueMap = {} if values is None else values
    copy_blocks(function, list(loop.blocks), purpose, found, distinct)
    return LoopVersion(loop, found)


def copy_blocks(
    function: Function, blocks: Sequence[Block], purpose: str, values: ValueMap, distinct: bool = True
) -> list[Block]:
    """Copy blocks, with the loops in them; `values` is as that of `copy_loop`, and gets what is copied."""
    copies = clone_blocks(blocks, function, values, purpose)
    for copy in copies if distinct else ():
        make_distinct_loop_id(copy)
    return copies
