"""An observer of interpreted kernels that refutes wrong answers of the shape analysis.

Work-items are compared when they compute a value at the same time, counted in iterations of the loops
around it. In a cycle that is no natural loop the times a block was run are counted instead, which means
something only if all work-items run it equally often.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from uniformity import Together, same, together

from weft.analysis.shape import ALL, AXES, Shape
from weft.analysis.shapes import Shapes
from weft.interp.memory import Allocation
from weft.interp.poison import POISON
from weft.interp.workitem import WorkItem
from weft.ir import Block, Function, Instruction
from weft.ir.loops import Loop, loop_forest
from weft.ir.types import VOID

Time = tuple[int, ...]
ENOUGH = 20


class ShapeObserver:
    """Checks several results for one function: `problems` lists claims that a run refuted.

    `analysed` are the instructions and blocks that the results speak of, for those of the function.
    """

    def __init__(
        self,
        function: Function,
        results: Iterable[Shapes],
        analysed: Mapping[Any, Any],
        in_sub_groups: bool = False,
    ) -> None:
        self._in_sub_groups = in_sub_groups
        self.problems: list[str] = []
        self.checked = 0
        self._function = function
        self._results = tuple(results)
        self._analysed = analysed
        forest = loop_forest(function)
        self._cyclic = {b for cycle in forest.irreducible for b in cycle}
        self._headers = {loop.header: loop for loop in forest.loops}
        self._nests = {block: _nest(forest.loop_of(block)) for block in function.blocks}
        self._iterations: dict[WorkItem, dict[Loop, int]] = {}
        self._runs: dict[WorkItem, Counter[Block]] = {}
        self._times: dict[tuple[Block, WorkItem], Counter[Time]] = {}
        self._phis: dict[WorkItem, list[tuple[Instruction, Any]]] = {}
        self._first: dict[Any, tuple[WorkItem, Any]] = {}
        self._claims = {
            i: [self._claim(i, number, result) for number, result in enumerate(self._results)]
            for i in function.instructions()
            if i.type is not VOID
        }

    def _claim(self, instruction: Instruction, number: int, result: Shapes) -> tuple[int, Shape, bool]:
        analysed = self._analysed[instruction]
        private = result.private_offset(analysed)
        return (number, private[1], True) if private is not None else (number, result.of(analysed), False)

    # Events of the interpreter

    def value(self, item: WorkItem, instruction: Instruction, value: Any) -> None:
        if instruction not in self._claims:
            return
        if instruction.opcode == "phi":  # told before the branch to its block is
            self._phis.setdefault(item, []).append((instruction, value))
        else:
            self._check(item, instruction, value)

    def branch(self, item: WorkItem, instruction: Instruction, successor: Block) -> None:
        source = instruction.block
        if source is None or source.function is not self._function:
            return
        if len(source.successors()) > 1:
            self._check_branch(item, source, successor)
        loop = self._headers.get(successor)
        if loop is not None:
            counts = self._iterations.setdefault(item, {})
            counts[loop] = counts[loop] + 1 if source in loop else 0
        self._runs.setdefault(item, Counter())[successor] += 1
        self._times.setdefault((successor, item), Counter())[self._time(item, successor)] += 1
        for phi, value in self._phis.pop(item, ()):
            self._check(item, phi, value)

    # Checks

    def _together(self, item: WorkItem) -> Together:
        return together(item, self._in_sub_groups)

    def _time(self, item: WorkItem, block: Block) -> Time:
        counts = self._iterations.get(item, {})
        time = tuple(counts[loop] for loop in self._nests[block])
        return (*time, self._runs[item][block]) if block in self._cyclic else time

    def _comparable(self, block: Block, result: Shapes) -> bool:
        return block not in self._cyclic or result.runs_uniformly(self._analysed[block])

    def _check(self, item: WorkItem, instruction: Instruction, value: Any) -> None:
        if value is POISON or len(self.problems) > ENOUGH:
            return
        block = instruction.block
        assert block is not None
        time = self._time(item, block)
        for number, shape, private in self._claims[instruction]:
            found = _number(value, private) if shape.bits else value
            if found is None:
                continue
            if shape.bits and found[0] is None:
                self._check_alone(item, instruction, shape, found[1])
            if self._comparable(block, self._results[number]):
                self._check_together(item, instruction, shape, found, (number, instruction, time))

    def _check_alone(self, item: WorkItem, instruction: Instruction, shape: Shape, value: int) -> None:
        """The interval of a number."""
        size = 1 << shape.bits
        value %= size
        wrong = not any(shape.low <= v <= shape.high for v in (value, value - size))
        self._report(wrong, item, instruction, shape, value, "alone")

    def _check_together(
        self, item: WorkItem, instruction: Instruction, shape: Shape, value: Any, key: tuple[Any, ...]
    ) -> None:
        """The strides, against the first work-item with the same ids in the unknown dimensions."""
        ids = tuple(i for i, axis in zip(item.local_id, AXES, strict=True) if shape.unknown & axis)
        other, expected = self._first.setdefault((*key, self._together(item), ids), (item, value))
        if other is item:
            return
        self.checked += 1
        if not shape.bits:
            self._report(
                not same(expected, value), item, instruction, shape, value, f"{expected} for {other}"
            )
            return
        (place, found), (its_place, start) = value, expected
        distance = _distance(shape, other.local_id, item.local_id)
        size, half = 1 << shape.bits, 1 << shape.bits >> 1
        wrong = not same(place, its_place) or (found - start - distance) % size != 0
        if place is None:
            found, start = found % size, start % size
            wrong |= shape.unsigned and found - start != distance
            signed = (found + half) % size - (start + half) % size
            wrong |= shape.signed and signed != distance
        self._report(wrong, item, instruction, shape, found, f"{start} for {other}")

    def _check_branch(self, item: WorkItem, block: Block, successor: Block) -> None:
        time = self._time(item, block)
        for number, result in enumerate(self._results):
            if not self._comparable(block, result):
                continue
            diverging = result.branch(self._analysed[block])
            ids = tuple(i for i, axis in zip(item.local_id, AXES, strict=True) if diverging & axis)
            key = (number, block, time, self._together(item), ids)
            other, expected = self._first.setdefault(key, (item, successor))
            if expected is not successor:
                self.problems.append(
                    f"%{block.name} is left to %{expected.name} by {other}, %{successor.name} by {item}"
                )

    def finish(self) -> None:
        """Checks that blocks were run at the same times where that is claimed."""
        groups: dict[Together, list[WorkItem]] = {}
        for item in self._runs:
            groups.setdefault(self._together(item), []).append(item)
        for result in self._results:
            for block in self._function.blocks:
                diverging = result.divergent_runs(self._analysed[block])
                if diverging != ALL:
                    for items in groups.values():
                        self._check_runs(block, diverging, items)

    def _check_runs(self, block: Block, diverging: int, items: list[WorkItem]) -> None:
        first: dict[tuple[int, ...], tuple[WorkItem, Counter[Time]]] = {}
        for item in items:
            times = self._times.get((block, item), Counter())
            ids = tuple(i for i, axis in zip(item.local_id, AXES, strict=True) if diverging & axis)
            other, expected = first.setdefault(ids, (item, times))
            if times != expected:
                self.problems.append(f"%{block.name} is run at other times by {item} than by {other}")

    def _report(
        self, wrong: bool, item: WorkItem, instruction: Instruction, shape: Shape, value: Any, other: str
    ) -> None:
        if wrong:
            self.problems.append(
                f"%{instruction.name} ({instruction.opcode}), called {shape} (signed {shape.signed}, "
                f"unsigned {shape.unsigned}), is {value} for {item} {item.local_id}, {other}"
            )


def _nest(loop: Loop | None) -> tuple[Loop, ...]:
    return () if loop is None else (*_nest(loop.parent), loop)


def _number(value: Any, private: bool) -> tuple[object, int] | None:
    """A number as (None, number), a pointer as (object, offset)."""
    if isinstance(value, tuple):
        place, offset = value
        if private:
            return None, offset
        assert isinstance(place, Allocation)
        return place, offset
    return None, value


def _distance(shape: Shape, start: tuple[int, ...], end: tuple[int, ...]) -> int:
    """How far apart the values of two work-items are along the known dimensions."""
    strides = zip(shape.strides, start, end, strict=True)
    return sum(s * (b - a) for s, a, b in strides if s is not None)
