"""Describe the barriers, parallel regions and replicated tails of a kernel."""

from enum import unique

from weft.analysis.barrier_cfg import BarrierCFG, ParallelRegion
from weft.analysis.divergence import Divergence
from weft.analysis.first_item import is_first_item_region
from weft.analysis.naming import Naming, ranges
from weft.analysis.work_items import BarrierOrigin, barrier_origin
from weft.ir import Block, Function, Instruction
from weft.ir.graph import post_order
from weft.ir.loops import Loop, loop_forest
from weft.ir.names import unique_names
from weft.remarks import Argument, Location, Message, Remarks

_DROPPED = ("llvm.lifetime.", "llvm.experimental.noalias")


@unique
class Structure(Message):
    """How barriers divide a kernel."""

    BARRIER = "barrier b{barrier}: {origin}"
    REGION = "parallel region r{region}: {instructions} instructions"
    TAIL = "{instructions} instructions are replicated in the regions {regions}"


@unique
class Decision(Message):
    """What the branch of a barrier decides."""

    LOOP = "this branch decides once for the group whether the loop continues"
    LOOP_BY_RULE = "this branch decides whether the loop continues; OpenCL requires all work-items to agree"
    BARRIER = "this branch decides once for the group which barrier comes next"
    BARRIER_BY_RULE = "this branch decides which barrier comes next; OpenCL requires all work-items to agree"


@unique
class RegionKind(Message):
    """Which work-items run a region."""

    LOOPS = "all work-items, in loops"
    FIRST = "the first work-item only"
    EMPTY = "empty"


class Regions:
    """Numbers the barriers and regions of a kernel, and maps blocks to regions."""

    def __init__(self, function: Function, cfg: BarrierCFG, naming: Naming) -> None:
        self._function, self.cfg, self._naming = function, cfg, naming
        order = reversed(post_order([function.entry], lambda block: block.successors()))
        ordered = sorted((b for b in order if b in cfg.barriers), key=self._reading_order)
        self.barrier_numbers = {block: number for number, block in enumerate(ordered)}
        self.holding: dict[Block, tuple[int, ...]] = {}
        for number, region in enumerate(cfg.regions):
            for block in region.blocks:
                self.holding[block] = (*self.holding.get(block, ()), number)

    def of(self, instruction: Instruction) -> tuple[int, ...]:
        """Return the regions that contain an instruction."""
        return self.holding.get(instruction.block, ()) if instruction.block is not None else ()

    def _reading_order(self, block: Block) -> tuple[bool, bool, int]:
        """Return a sort key that orders barriers by source line, between the entry and the exit."""
        entry, exit = block is self._function.entry, block.terminator.opcode == "ret"
        place = self._naming.place(block.instructions[0]) or self._naming.place(block.terminator)
        return not entry, exit, place.outermost.line if place is not None and not exit else 0


def describe_regions(
    function: Function, regions: Regions, shape: Divergence, naming: Naming, remarks: Remarks
) -> None:
    """Emit a remark for each barrier, region and replicated tail."""
    names = unique_names(function)
    forest = loop_forest(function)
    starts: dict[Block, Location | None] = {}  # of interchanged loops, by their barriers
    for block, number in regions.barrier_numbers.items():
        starts[block] = _describe_barrier(block, number, names[block], shape, naming, forest.loops, remarks)
    for number, region in enumerate(regions.cfg.regions):
        around = starts[region.barrier] if region.barrier in region.successors else None
        _describe_region(region, number, regions, names, naming, around, remarks)
    shared: dict[tuple[int, ...], list[Block]] = {}
    for block, numbers in regions.holding.items():
        if len(numbers) > 1:
            shared.setdefault(numbers, []).append(block)
    for numbers, blocks in shared.items():
        instructions = [i for b in blocks for i in b.instructions]
        remarks.analysis(
            Structure.TAIL,
            instructions[0],
            regions=numbers,
            blocks=tuple(names[b] for b in blocks),
            lines=ranges(naming.lines(instructions)),
            instructions=sum(map(_counts, instructions)),
        )


def _describe_barrier(
    block: Block,
    number: int,
    name: str,
    shape: Divergence,
    naming: Naming,
    loops: list[Loop],
    remarks: Remarks,
) -> Location | None:
    """Emit a remark for a barrier; return the start of the loop that was interchanged by it, if any."""
    call, terminator = block.instructions[0], block.terminator
    origin = barrier_origin(call)
    around = next((loop for loop in reversed(loops) if block in loop.exiting), None)
    place: Location | None = None
    decision: Message | None = None
    match origin:
        case BarrierOrigin.WRITTEN | BarrierOrigin.GROUP_FUNCTION:
            place = naming.place(call)
        case BarrierOrigin.INTERCHANGE:
            begin = remarks.extent(around)[0] if around is not None else None
            place = begin or naming.place(terminator)
        case BarrierOrigin.MERGED_TAIL:
            place = naming.place(terminator)
        case BarrierOrigin.DECISION:
            place = naming.place(terminator)
            uniform = shape.is_uniform(terminator.operands[0])
            if around is not None:
                decision = Decision.LOOP if uniform else Decision.LOOP_BY_RULE
            else:
                decision = Decision.BARRIER if uniform else Decision.BARRIER_BY_RULE
    arguments: dict[str, Argument] = {"barrier": number, "origin": origin, "block": name}
    remarks.analysis(Structure.BARRIER, place, **arguments, decision=decision)
    return place if origin is BarrierOrigin.INTERCHANGE else None


def _describe_region(
    region: ParallelRegion,
    number: int,
    regions: Regions,
    names: dict[Block, str],
    naming: Naming,
    around: Location | None,
    remarks: Remarks,
) -> None:
    instructions = [i for b in region.blocks for i in b.instructions]
    kind = RegionKind.LOOPS
    if region.is_empty:
        kind = RegionKind.EMPTY
    elif is_first_item_region(region):
        kind = RegionKind.FIRST
    first = next((place for i in instructions if (place := naming.place(i)) is not None), None)
    remarks.anchors["region", number] = first
    remarks.analysis(
        Structure.REGION,
        first,
        region=number,
        start=regions.barrier_numbers[region.barrier],
        ends=tuple(regions.barrier_numbers[s] for s in region.successors),
        kind=kind,
        lines=ranges(naming.lines(instructions)),
        instructions=sum(map(_counts, instructions)),
        blocks=tuple(names[b] for b in region.blocks),
        replicated=tuple(names[b] for b in region.blocks if len(regions.holding[b]) > 1),
        interchanged=around,
    )


def _counts(instruction: Instruction) -> bool:
    """Whether an instruction is a computation that counts for the reader."""
    if instruction.is_terminator or instruction.opcode == "alloca":
        return False
    return not instruction.callee_name.startswith(_DROPPED)
