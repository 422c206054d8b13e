"""Build the function that runs a whole work-group from the kernel of one work-item (pocl, section 4).

The new function follows the barrier CFG: it has a block for each barrier, and between two barriers the
work-item loops of the parallel region:

    define void @k(ptr addrspace(1) %a)          define void @wg(ptr %launch, ptr %args, …)
    entry.barrier:                               entry:         ; arguments, sizes, group ids
      call void @weft.barrier()                    br label %region.0.pre
      br label %entry                            region.0.x:    ; a loop over local ids
    entry:                                         %x = phi i32 [ 0, … ], [ %x.next, … ]
      …                                            …            ; a copy of the blocks of the region
      br label %exit.barrier                       br i1 %more, label %region.0.x, label %region.0.end
    exit.barrier:                                exit.barrier:
      call void @weft.barrier()                    ret void
      ret void

`group_frame.py` builds the entry and the memory of variables that are live across regions; `region_copy.py`
copies a region into its loops. Deciding branches (see `place_implicit_barriers`) are taken once, on the
stored value of their condition.

In kernels with sub-groups all of this concerns the work-items of one sub-group: loops, decisions and uniform
variables are those of a sub-group. Sub-groups take turns at the barriers of the work-group (`sub_groups`).

Requires: isolated and implicit barriers, locals as arguments. Refuses nothing. The code grows with the number
of barriers from which a block can be reached, which `merge_tails` and `merge_barriers` bound.
"""

from collections.abc import Mapping
from enum import unique

from weft.analysis.barrier_cfg import BarrierCFG, ParallelRegion
from weft.analysis.cross_lane import is_cross_lane
from weft.analysis.kernel_variables import KernelVariables
from weft.ir import Argument, Block, Function, Instruction
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap, clone_instruction
from weft.ir.names import unique_names
from weft.remarks import SILENT, Message, Remarks

from .context_arrays import ContextLayout
from .group_frame import GroupForm, GroupFrame, Placement, waits_in
from .region_copy import RegionCode, RegionCopy
from .stragglers import barriers_of_rest
from .work_item_loops import DEFAULT_CHOICES, LoopChoices, unmark_loops

# LLVM's vectorizer takes quadratic time in a loop's length: to limit it to a second, the longest stay scalar,
# but for those with operations across lanes, which Weft vectorizes.
VECTORIZED_SQUARES = 5000**2


def work_group_function(
    kernel: Function,
    name: str,
    cfg: BarrierCFG,
    variables: KernelVariables,
    placements: Mapping[Argument, Placement],
    form: GroupForm,
    choices: LoopChoices = DEFAULT_CHOICES,
    remarks: Remarks = SILENT,
) -> tuple[Function, ContextLayout]:
    """Add the work-group function of `kernel` to its module; return it and the layout of its context.

    If `remarks` has a listener, work-item loops are tagged with the number of their region.
    """
    unmark_loops(kernel.parent)
    frame = GroupFrame(kernel, name, cfg, variables, placements, form, choices)
    code = _GroupCode(frame, cfg, numbers_loops=bool(remarks))
    code.fill()
    if remarks:
        _report_regions(kernel, code, remarks)
    return frame.function, frame.arena.layout


def _report_regions(kernel: Function, group: "_GroupCode", remarks: Remarks) -> None:
    """Emit remarks that say which blocks run which regions, and represent which barriers."""
    names, before = unique_names(group.frame.function), unique_names(kernel)
    for region, code in group.regions:
        remarks.analysis(
            WorkGroupCode.REGION,
            region=region,
            access_group=code.access_group,
            blocks=tuple(names[block] for block in code.blocks),
            copies=tuple((before[block], names[copy]) for block, copy in code.copies.items()),
        )
    for barrier, block in (*group.barriers.items(), *group.rest.items()):
        remarks.analysis(WorkGroupCode.BARRIER, barrier=before[barrier], block=names[block])


@unique
class WorkGroupCode(Message):
    """The purpose of blocks of a work-group function."""

    REGION = "region r{region} becomes {blocks}"
    BARRIER = "{block} represents the barrier in {barrier}"


class _GroupCode:
    """The blocks of barriers and regions; `rest`: those for groups with finished work-items."""

    def __init__(self, frame: GroupFrame, cfg: BarrierCFG, numbers_loops: bool) -> None:
        self.frame, self._cfg, self._numbers_loops = frame, cfg, numbers_loops
        self.regions: list[tuple[int, RegionCode]] = []
        self._vectorized = _worth_vectorizing(cfg)
        self.barriers = {b: frame.function.add_block(b.name) for b in cfg.barriers}
        self.rest = {b: self._rest_block(b) for b in barriers_of_rest(cfg)}

    def _rest_block(self, barrier: Block) -> Block:
        if barrier.terminator.opcode == "ret":
            return self.barriers[barrier]
        return self.frame.function.add_block(f"{barrier.name}.rest")

    def fill(self) -> None:
        """Add the loops of all regions, and connect them."""
        numbers = {region: i for i, region in enumerate(self._cfg.regions)}
        self._connect(self.barriers, {r: self._region(i, r, False) for r, i in numbers.items()})
        rest = {r: self._region(i, r, True) for r, i in numbers.items() if r.barrier in self.rest}
        ends = [b for b in self.rest if b.terminator.opcode == "ret"]
        self._connect({b: block for b, block in self.rest.items() if b not in ends}, rest)
        start = self.barriers[self._cfg.barriers[0]]
        if self.frame.turns is None:
            self.frame.entry.br(start)
        else:
            self.frame.turns.begin(self.frame.entry, start)

    def _connect(self, barriers: Mapping[Block, Block], starts: Mapping[ParallelRegion, Block]) -> None:
        """Fill the blocks of barriers with branches to the loops of regions."""
        for barrier, block in barriers.items():
            b = Builder(block)
            terminator = barrier.terminator
            if terminator.opcode == "ret":
                if self.frame.turns is None:
                    b.ret()
                else:
                    self.frame.turns.leave(block, self.barriers[self._cfg.barriers[0]])
                continue
            if self.frame.turns is not None and barrier is not self._cfg.barriers[0] and waits_in(barrier):
                b = self.frame.turns.wait(block)
            targets: ValueMap = {}
            for successor in barrier.successors():
                targets[successor] = starts[self._cfg.following[barrier][successor]]
            condition = terminator.operands[0]
            if isinstance(condition, Instruction):
                targets[condition] = self.frame.decision(condition, b)
            else:
                targets.setdefault(condition, self.frame.values.get(condition, condition))
            b.insert(clone_instruction(terminator, targets)).metadata.pop("llvm.loop", None)

    def _region(self, number: int, region: ParallelRegion, rest: bool) -> Block:
        """Add the loops of a region; return the block where they start."""
        here = self.rest if rest else self.barriers
        if region.is_empty:
            return here[region.successors[0]]
        name = f"{'rest' if rest else 'region'}.{number}"
        targets = {s: (here[s], self.rest.get(s, here[s])) for s in region.successors}
        tag = number if self._numbers_loops else None
        copy = RegionCopy(self.frame, region, name, targets, rest, tag)
        code = copy.run(region in self._vectorized and not rest)
        self.regions.append((number, code))
        return code.start


def _worth_vectorizing(cfg: BarrierCFG) -> set[ParallelRegion]:
    """Return the regions whose loops are small enough to vectorize, or have no scalar code."""
    chosen = {r for r in cfg.regions if any(is_cross_lane(i) for b in r.blocks for i in b.instructions)}
    others = [region for region in cfg.regions if region not in chosen]
    sizes = {region: sum(len(b.instructions) for b in region.blocks) for region in others}
    squares = 0
    for region in sorted(others, key=sizes.__getitem__):
        squares += sizes[region] ** 2
        if squares <= VECTORIZED_SQUARES:
            chosen.add(region)
    return chosen
