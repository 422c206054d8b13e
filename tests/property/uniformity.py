"""An observer of interpreted kernels that finds wrong answers of the divergence analysis.

A claim "uniform" is about the work-items that compute a value at the same time. Time is counted in
iterations: two work-items are at the same time in a block when they are in the same iteration of every
loop around it. In a cycle that is no natural loop the times a block was run are counted instead, which
means something only if all work-items run it equally often.
"""

from collections import Counter
from typing import Any

from weft.analysis.divergence import Divergence
from weft.interp.memory import Allocation
from weft.interp.poison import POISON
from weft.interp.workitem import Group, WorkItem, sub_group_of
from weft.ir import Block, Function, Instruction
from weft.ir.loops import Loop, loop_forest
from weft.ir.types import VOID

Together = tuple[Group, int]
Instance = tuple[Together, Instruction, tuple[int, ...]]


def together(item: WorkItem, in_sub_groups: bool) -> Together:
    """What claims about a work-item compare it with: its group, or its sub-group in kernels with these."""
    return item.group, sub_group_of(item)[0] if in_sub_groups else 0


class UniformityObserver:
    """Compares the work-items of a group: `problems` lists claims that a run refuted."""

    def __init__(self, function: Function, shape: Divergence, in_sub_groups: bool = False) -> None:
        self._in_sub_groups = in_sub_groups
        self.problems: list[str] = []
        self.checked = 0
        self._shape = shape
        self._function = function
        forest = loop_forest(function)
        in_cycle = {b for cycle in forest.irreducible for b in cycle}
        self._nests: dict[Block, tuple[Loop, ...]] = {}
        for block in function.blocks:
            nest: list[Loop] = []
            loop = forest.loop_of(block)
            while loop is not None:
                nest.insert(0, loop)
                loop = loop.parent
            self._nests[block] = tuple(nest)
        self._counted = {b for b in in_cycle if shape.runs_uniformly(b)}
        self._claimed = {
            i
            for i in function.instructions()
            if i.type is not VOID
            and shape.is_uniform(i)
            and (i.block not in in_cycle or i.block in self._counted)
        }
        self._headers = {loop.header: loop for loop in forest.loops}
        self._iterations: dict[WorkItem, dict[Loop, int]] = {}
        self._runs: dict[WorkItem, Counter[Block]] = {}
        self._phis: dict[WorkItem, list[tuple[Instruction, Any]]] = {}
        self._first: dict[Instance, tuple[WorkItem, Any]] = {}

    # Events of the interpreter

    def value(self, item: WorkItem, instruction: Instruction, value: Any) -> None:
        if instruction not in self._claimed:
            return
        if instruction.opcode == "phi":  # told before the branch to its block is
            self._phis.setdefault(item, []).append((instruction, value))
        else:
            self._compare(item, instruction, value)

    def branch(self, item: WorkItem, instruction: Instruction, successor: Block) -> None:
        source = instruction.block
        assert source is not None
        if source.function is not self._function:
            return
        loop = self._headers.get(successor)
        if loop is not None:
            counts = self._iterations.setdefault(item, {})
            counts[loop] = counts[loop] + 1 if source in loop else 0
        self._runs.setdefault(item, Counter())[successor] += 1
        for phi, value in self._phis.pop(item, ()):
            self._compare(item, phi, value)

    # Afterwards

    def finish(self) -> None:
        """Checks that blocks that are claimed to run uniformly were run equally often in each group."""
        for block in self._function.blocks:
            if not self._shape.runs_uniformly(block):
                continue
            often: dict[Together, tuple[WorkItem, int]] = {}
            for item, runs in self._runs.items():
                other, count = often.setdefault(together(item, self._in_sub_groups), (item, runs[block]))
                if runs[block] != count:
                    self.problems.append(
                        f"%{block.name}, called uniform, is run {count} times by {other}, "
                        f"{runs[block]} by {item}"
                    )

    def _compare(self, item: WorkItem, instruction: Instruction, value: Any) -> None:
        block = instruction.block
        assert block is not None
        if block in self._counted:
            time: tuple[int, ...] = (self._runs[item][block],)
        else:
            counts = self._iterations.get(item, {})
            time = tuple(counts[loop] for loop in self._nests[block])
        key = (together(item, self._in_sub_groups), instruction, time)
        other, expected = self._first.setdefault(key, (item, value))
        self.checked += other is not item
        if not same(expected, value):
            self.problems.append(
                f"%{instruction.name} in %{block.name}, called uniform, is {expected} for {other}, "
                f"{value} for {item}"
            )


def same(one: Any, other: Any) -> bool:
    """Whether two values may count as one: poison may be anything, a NaN is as good as another.

    The interpreter gives each work-item a copy of a structure argument; compiled code does without.
    """
    if one is POISON or other is POISON:
        return True
    if isinstance(one, Allocation) and isinstance(other, Allocation) and one.name.startswith("copy of "):
        return one.name == other.name
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return all(same(x, y) for x, y in zip(one, other, strict=True))
    return bool(one == other or (one != one and other != other))
