"""Version a loop: create copies, each with its own entry block, between which the caller selects.

    preheader:                                preheader:
      br label %loop                            br i1 %condition, label %fast, label %slow
                                    becomes   fast: br label %loop             ; the condition is a fact here
                                              slow: br label %loop.purpose     ; a copy

Used for complete and partial work-groups (`version_complete_groups.py`), for sums that do not wrap
(`version_wrapping_guards.py`), for in-bounds accesses (`version_in_bounds.py`), for the strategies of
divergent loops (`loop_choice.py`), for index sets (`split_index_sets.py`), for pieces of rows
(`strip_mine_rows.py`), for one lane at a time (`serialization.py`). Copies record their original and their
purpose (`Block.origin`).

Requires a loop with a preheader. The caller handles phis at the exits. Linear in the size of the loop.
"""

from collections.abc import Sequence

from weft.dataclasses import dataclass
from weft.ir import Block, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap, clone_blocks
from weft.ir.loops import Loop
from weft.ir.metadata import make_distinct_loop_id


@dataclass(frozen=True)
class LoopVersion:
    """A loop or a copy of it; `values` maps blocks and values of the loop to those of the copy."""

    loop: Loop
    values: ValueMap

    def value(self, value: Value) -> Value:
        """Return a value of the loop in this version; other values are returned unchanged."""
        return self.values.get(value, value)

    def block(self, block: Block) -> Block:
        """Return a block of the loop in this version."""
        copy = self.value(block)
        assert isinstance(copy, Block)
        return copy

    def instruction(self, instruction: Instruction) -> Instruction:
        """Return an instruction of the loop in this version."""
        copy = self.value(instruction)
        assert isinstance(copy, Instruction)
        return copy

    @property
    def header(self) -> Block:
        return self.block(self.loop.header)

    def enter(self, entry: Block, preheader: Block) -> None:
        """Make an empty block the preheader, in place of the loop's."""
        Builder(entry).br(self.header)
        for phi in self.header.phis():
            phi.replace_operand(preheader, entry)


def run_if(loop: Loop, condition: Value, case: str, purpose: str) -> LoopVersion:
    """Run a loop only if a condition holds, and a copy otherwise, which is returned.

    `case` names the case that the condition holds, `purpose` the other.
    """
    preheader, name = loop.known_preheader, loop.header.name or ""
    copy = copy_loop(loop, purpose)
    entries = [loop.header.parent.add_block(f"{name}.{kind}.pre") for kind in (case, purpose)]
    preheader.terminator.erase()
    Builder(preheader).cond_br(condition, *entries)
    for version, entry in zip((LoopVersion(loop, {}), copy), entries, strict=True):
        version.enter(entry, preheader)
    return copy


def copy_loop(loop: Loop, purpose: str, values: ValueMap | None = None, distinct: bool = True) -> LoopVersion:
    """Copy a loop; `values` maps values from outside to those that the copy uses.

    The copy has the entry and the exits of the loop, until `LoopVersion.enter` changes the entry. `distinct`:
    LLVM treats the loops of the copy as different loops.
    """
    mapping: ValueMap = {} if values is None else values
    copy_blocks(list(loop.blocks), purpose, mapping, distinct)
    return LoopVersion(loop, mapping)


def copy_blocks(
    blocks: Sequence[Block], purpose: str, values: ValueMap, distinct: bool = True
) -> list[Block]:
    """Copy blocks, with the loops in them; `values` is as for `copy_loop`, and gets the copied values."""
    copies = clone_blocks(blocks, blocks[0].parent, values, purpose)
    for copy in copies if distinct else ():
        make_distinct_loop_id(copy)
    return copies
