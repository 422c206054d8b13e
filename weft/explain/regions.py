"""Barriers, parallel regions and replicated tails of a recorded kernel."""

from weft.analysis.barrier_cfg import ParallelRegion
from weft.analysis.first_item import is_first_item_region
from weft.analysis.work_items import IMPLICIT_BARRIER
from weft.ir import Block, Instruction
from weft.ir.debug import Location
from weft.ir.graph import post_order

from .naming import Naming, ranges
from .recorder import Recorder
from .report import Barrier, Region, Tail

_DROPPED = ("llvm.lifetime.", "llvm.experimental.noalias")


class Regions:
    """Numbers the barriers and regions of a kernel, and finds which regions hold what."""

    def __init__(self, record: Recorder, naming: Naming) -> None:
        self._record, self._naming = record, naming
        cfg = record.cfg
        order = reversed(post_order([record.function.entry], lambda block: block.successors()))
        met = sorted((b for b in order if b in cfg.barriers), key=self._reading_order)
        self.barrier_numbers = {block: number for number, block in enumerate(met)}
        self.holding: dict[Block, tuple[int, ...]] = {}
        for number, region in enumerate(cfg.regions):
            for block in region.blocks:
                self.holding[block] = (*self.holding.get(block, ()), number)
        self._block_names = {s.block: s.name for s in record.between}

    def of(self, instruction: Instruction) -> tuple[int, ...]:
        """The regions that hold an instruction."""
        return self.holding.get(instruction.block, ()) if instruction.block is not None else ()

    def barriers(self) -> tuple[Barrier, ...]:
        """All barriers in their order."""
        return tuple(self._barrier(block, number) for block, number in self.barrier_numbers.items())

    def _reading_order(self, block: Block) -> tuple[bool, bool, int]:
        """Barriers are numbered as they stand in the source, between the entry and the exit."""
        entry, exit = block is self._record.function.entry, block.terminator.opcode == "ret"
        place = self._naming.place(block.instructions[0]) or self._naming.place(block.terminator)
        return not entry, exit, place.outermost.line if place is not None and not exit else 0

    def _barrier(self, block: Block, number: int) -> Barrier:
        call = block.instructions[0]
        written = call.called_function is not None and call.called_function.name != IMPLICIT_BARRIER
        if written:
            place = self._naming.place(call)
            called = f"in {place.function}, called at {place.caller.way}" if place and place.caller else ""
            return Barrier(number, "written", place, called)
        if block is self._record.function.entry:
            return Barrier(number, "entry", None, "every kernel starts with one")
        if block.terminator.opcode == "ret":
            return Barrier(number, "exit", None, "every kernel ends with one")
        origin = self._record.origins.get(call)
        place = self._naming.place(block.terminator)
        if origin == "interchange-inner-loops":
            first = self._loop_place(block) or place
            return Barrier(
                number, "interchange", first, "the inner loop runs in lock step over all work-items"
            )
        if origin == "lower-group-functions":
            near = self._naming.place(call)
            return Barrier(number, "group", near, "part of a function that the work-group calls as one")
        if origin == "merge-tails":
            return Barrier(
                number, "merge", place, "long code behind several barriers, which is not to be copied"
            )
        if origin == "gather-barriers":
            return Barrier(
                number, "gather", None, "many barriers in one, so that the code behind them is not copied"
            )
        return Barrier(number, "decision", place, self._decision(block))

    def _decision(self, block: Block) -> str:
        condition = block.terminator.operands[0]
        loop = any(block.terminator in verdict.exits for verdict in self._record.loops)
        what = "whether the loop goes on" if loop else "which barrier comes next"
        if self._record.shape.is_uniform(condition):
            return f"this branch decides {what}, once for the group"
        return f"this branch decides {what}; work-items must agree, which OpenCL demands"

    def _loop_place(self, block: Block) -> Location | None:
        for verdict in self._record.loops:
            if verdict.obstacle is None and block.terminator in verdict.exits:
                places = self._naming.loop_places(verdict.latch)
                return places[0] if places else None
        return None

    def regions(self) -> tuple[Region, ...]:
        """All regions by number."""
        return tuple(self._region(number, region) for number, region in enumerate(self._record.cfg.regions))

    def _region(self, number: int, region: ParallelRegion) -> Region:
        instructions = [i for b in region.blocks for i in b.instructions if _counts(i)]
        kind = "empty" if region.is_empty else "first" if is_first_item_region(region) else "loops"
        return Region(
            number=number,
            start=self.barrier_numbers[region.barrier],
            ends=tuple(self.barrier_numbers[s] for s in region.successors),
            kind=kind,
            lines=ranges(self._naming.lines(i for b in region.blocks for i in b.instructions)),
            instructions=len(instructions),
            blocks=tuple(self._block_names[b] for b in region.blocks),
            replicated=tuple(self._block_names[b] for b in region.blocks if len(self.holding[b]) > 1),
        )

    def tails(self) -> tuple[Tail, ...]:
        """Blocks that several regions hold, those with the same regions together."""
        shared: dict[tuple[int, ...], list[Block]] = {}
        for block, numbers in self.holding.items():
            if len(numbers) > 1:
                shared.setdefault(numbers, []).append(block)
        found = []
        for numbers, blocks in shared.items():
            instructions = [i for b in blocks for i in b.instructions]
            found.append(
                Tail(
                    numbers,
                    tuple(self._block_names[b] for b in blocks),
                    ranges(self._naming.lines(instructions)),
                    sum(map(_counts, instructions)),
                )
            )
        return tuple(found)


def _counts(instruction: Instruction) -> bool:
    """Whether an instruction computes something, so that a person would count it."""
    if instruction.is_terminator or instruction.opcode == "alloca":
        return False
    callee = instruction.called_function
    return callee is None or not (callee.name or "").startswith(_DROPPED)
