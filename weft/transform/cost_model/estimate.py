"""Estimate the cost of a work-item loop, serially and in lanes, and the number of its lanes.

The unit is the time of a simple operation on one register. The cost of blocks in inner loops is multiplied by
`loop_trips` for each loop around them; loops that LLVM vectorizes if work-items run sequentially count as
vectors of iterations (`row_loops.py`). All numbers are rows of the target's cost table (`weft/target/costs`).
They are rough; they must distinguish loops that gain from lanes from those that lose, and are checked against
measurements by `tests/transform/test_simd_cost.py`.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from math import log2
from typing import NamedTuple

from weft.analysis.evolution import LoopEvolution, Wrapping
from weft.analysis.lanes import LANE, Lanes, Pieces, is_same_for_same_arguments
from weft.analysis.locations import ADDRESSES, Location, location
from weft.analysis.memory_effects import (
    has_no_effects,
    is_atomic_function,
    is_own_function,
)
from weft.dataclasses import KW_ONLY, dataclass
from weft.ir import Block, Instruction, Value
from weft.ir.address_spaces import GLOBAL, PRIVATE
from weft.ir.loops import Loop, LoopForest
from weft.ir.types import I1, FloatType, IntType, Type, VectorType, address_space, size_of
from weft.ir.values import Constant
from weft.recursion import Definition, Recursion
from weft.target import Costs, Target
from weft.transform.simd.join_loads import joined_loads
from weft.transform.simd.lane_values import only_in_single_lanes
from weft.transform.simd.small_arrays import small_array
from weft.transform.simd.strided_rows import AliasQueries, rows_of, unit_step_loop
from weft.transform.simd.version_in_bounds import InBounds
from weft.transform.simd.wide_division import divides_by_floats
from weft.transform.simd.wide_memory import MAX_STRIDE, is_reversed, is_sparse
from weft.transform.simd.wide_vectors import components

from .call_costs import call_cost
from .code_size import MOST_NESTED
from .row_loops import RowLoop, is_far, row_loops

# The default strategy of divergent loops (`strategies.py`).
DEFAULT_STRATEGY = "dvec-s"
# Ways to run work-items without divergent loops, if both are tried at run time: in lanes, or sequentially.
LANES, SCALAR = "lanes", "scalar"
# Operations that cost next to nothing, scalar or in lanes.
_FREE = ("phi", "getelementptr", "sext", "zext", "trunc", "bitcast", "freeze", "addrspacecast")
_DIVISIONS = ("udiv", "sdiv", "urem", "srem", "fdiv", "frem")


@dataclass(frozen=True)
class Estimate:
    """The cost of W work-items, sequentially and in lanes.

    `serial` is the cost in lanes except that divergent loops run sequentially; None if there are none.
    `by_lane` is the part of the cost in lanes that grows with their number: gathers, scatters, sequential
    lanes. `nested`: a divergent loop is inside another loop, so lanes wait for one another repeatedly.
    `costs` is the table that decides what is profitable.
    """

    width: int
    scalar: float
    wide: float
    serial: float | None = None
    by_lane: float = 0.0
    nested: bool = False
    _: KW_ONLY
    costs: Costs

    @property
    def pays(self) -> bool:
        """Whether lanes gain enough to be worth their longer code."""
        return self.wide < self.costs.worth_lanes * self.scalar

    def is_worth_variant_of(self, general: "Estimate") -> bool:
        """Whether lanes gain enough in a special case to be worth code in addition to the general version."""
        return self.wide < self.costs.worth_variant * min(general.scalar, general.wide)

    def pays_in(self, strategy: str) -> bool:
        """Whether a work-item loop should run in lanes if its divergent loops use a strategy.

        A requested strategy is used wherever there are such loops; `serial` ones need no lanes.
        """
        if self.serial is None or strategy == "auto":
            return self.pays
        return strategy != "serial" or self.serial < self.costs.worth_lanes * self.scalar

    def strategies_to_try(self) -> tuple[str, ...]:
        """Return the strategies to measure, the likeliest first; only one if the estimate is clear."""
        costs = self.costs
        if self.serial is None:
            return self._ways_to_try()
        if self.wide < costs.lanes_win * self.serial:
            return (DEFAULT_STRATEGY,)
        if self.wide > costs.serial_wins * self.serial:
            return ("serial",)
        if self.nested and self.by_lane > costs.crowded_share * self.wide:
            # With nested loops, a whole work-group that waits for its slowest work-item never wins.
            return ("dvec-s", "narrow", "serial") if self.pays else ("serial", "narrow", "dvec-s")
        return ("dvec-s", "dvec", "serial") if self.pays else ("serial", "dvec", "dvec-s")

    def _ways_to_try(self) -> tuple[str, ...]:
        """Return the ways to run work-items without divergent loops.

        Both if lanes mostly gather: the price of that depends on the processor and on what is in the caches,
        and that of sequential loads on how many of them depend on one another.
        """
        costs = self.costs
        if not costs.lanes_win * self.scalar < self.wide < costs.serial_wins * self.scalar:
            return (DEFAULT_STRATEGY,)
        if self.by_lane <= costs.crowded_share * self.wide:
            return (DEFAULT_STRATEGY,)
        return (LANES, SCALAR) if self.pays else (SCALAR, LANES)


def estimate(
    loop: Loop,
    forest: LoopForest,
    shape: Lanes,
    width: int,
    target: Target,
    fast: InBounds | None = None,
) -> Estimate:
    """Estimate the cost of `width` iterations of a work-item loop, or of its fast path if it has one."""
    assert shape.assumed.holds_for(width), "what is known of other blocks of lanes"
    return _Pricing(loop, forest, shape, width, target, fast).estimate()


class _Execution(NamedTuple):
    """How often an instruction runs per work-item (`weight`), and the cost of running it once.

    `replaced`: the fast path has something cheaper in its place. `row`: the loop around it counts as vectors
    of iterations. `stays`: it is a load that remains in an inner loop.
    """

    weight: float
    cost: float
    replaced: bool
    row: RowLoop | None
    stays: bool


class _Pricing:
    """Adds up the cost of a work-item loop, scalar and in lanes."""

    def __init__(
        self, loop: Loop, forest: LoopForest, shape: Lanes, width: int, target: Target, fast: InBounds | None
    ) -> None:
        self.loop, self.forest, self.shape, self.fast = loop, forest, shape, fast
        self.width, self.target, self.costs = width, target, target.costs
        # Iterations without loop-carried values overlap: processors start the next ones before one has ended.
        self.overlapping = {
            m for m in _innermost(loop.children) if m.header not in shape.masked and not _carried(shape, m)
        }
        self.joined = frozenset() if loop.children else joined_loads(loop, shape)
        self.touching = frozenset() if loop.children else _first_touches(loop, shape, self.costs)
        self.single = only_in_single_lanes(shape, loop)
        self.row_accesses = _row_accesses(loop, shape)
        rows = row_loops(loop, shape, target)
        self.row_of = {block: row for m, row in rows.items() for block in m.blocks}
        self.pieces = max((a.count for a in shape.assumed.values() if isinstance(a, Pieces)), default=1)
        self.writing = _writing_loops(loop, forest)
        self.steps_of = cache(partial(LoopEvolution, wrapping=Wrapping.IGNORED))

    def estimate(self) -> Estimate:
        """Return the cost of all instructions, and of spilled registers."""
        loop, forest, shape, width, costs = self.loop, self.forest, self.shape, self.width, self.costs
        scalar = wide = serial = by_lane = 0.0
        if self.fast is not None:
            scalar, wide, serial = self.fast.operations * width, self.fast.operations, self.fast.operations
        divergent = _divergent_loops(loop, shape)
        in_divergent = {block for inner in divergent for block in inner.blocks}
        for block in loop.blocks:
            diverges = block in in_divergent
            for i in block.instructions:
                execution = self._execution(i, block)
                one_by_one, in_lanes = self._one_by_one(i, execution), self._in_lanes(i, execution)
                scalar += one_by_one
                wide += in_lanes
                by_lane += in_lanes if in_lanes >= costs.gather * width * execution.weight else 0.0
                serial += one_by_one if diverges else in_lanes
        scalar += _spills(loop, forest, shape, 1, self.target) * width
        spills = _spills(loop, forest, shape, width, self.target)
        wide, serial = wide + spills, serial + spills
        turns = costs.lane_turn * width * sum(self._entries(inner) for inner in divergent)
        nested = any(_depth(m.header, loop, forest) > 1 for m in shape.divergent_loops)
        return Estimate(
            width, scalar, wide, serial + turns if divergent else None, by_lane, nested, costs=costs
        )

    def _entries(self, inner: Loop) -> float:
        """Return how often a work-item enters an inner loop."""
        return float(self.costs.loop_trips) ** (_depth(inner.header, self.loop, self.forest) - 1)

    def _execution(self, i: Instruction, block: Block) -> _Execution:
        """Return how often an instruction runs; LLVM hoists loads out of inner loops."""
        depth = _depth(block, self.loop, self.forest)
        moved = i.opcode == "load" and depth > 0 and block not in self.shape.masked
        out = _steps_out(i, self.loop, self.forest, self.writing, self.steps_of) if moved else 0
        weight = float(self.costs.loop_trips) ** (depth - out)
        row = self.row_of.get(block) if out == 0 else None
        if row is not None:
            weight *= row.trips / self.costs.loop_trips
        replaced = self.fast.cost_of(i) if self.fast is not None else None
        cost = scalar_cost(i, self.target) if replaced is None else replaced
        return _Execution(weight, cost, replaced is not None, row, moved and out == 0 and row is None)

    def _one_by_one(self, i: Instruction, execution: _Execution) -> float:
        """Return the cost of an instruction for `width` work-items, sequentially."""
        at = self.forest.loop_of(i.parent)
        cost = execution.weight * execution.cost * self.width
        if at in self.overlapping:
            cost /= self.costs.overlap
        if execution.stays and _goes_down_column(i, self.shape, self.steps_of(at), self.costs):
            cost += execution.weight * self.width * self.costs.cache_line / size_of(i.type)
        if execution.row is not None:
            cost = 0.0 if i in execution.row.addresses else cost / execution.row.lanes
        return cost

    def _in_lanes(self, i: Instruction, execution: _Execution) -> float:
        """Return the cost of an instruction in `width` lanes."""
        weight, one, shape = execution.weight, execution.cost, self.shape
        if execution.replaced:
            cost = weight * one
        elif i in self.single:
            cost = weight * one * self.pieces
        elif i in self.joined:
            cost = weight * self.costs.shuffle * max(1.0, self.width / self.target.lanes(32))
        elif i in self.row_accesses:
            cost = weight * _row_cost(i, self.width, self.target)
        else:
            cost = weight * _wide_cost(i, one, shape, self.width, self.target, not self.loop.children)
        if i in self.touching and i.operands[0] not in self.single:
            cost += self.costs.first_touch * self.width
        return cost


def _first_touches(loop: Loop, shape: Lanes, costs: Costs) -> frozenset[Instruction]:
    """Return the gathers from global memory that touch a cache line first, not one of another gather.

    The neighbours of a pixel or the members of a structure are in one line or two.
    """
    known: dict[Value, Location] = {}
    by_address: dict[tuple[Value, frozenset[tuple[Value, int]]], list[tuple[int, Instruction]]] = {}
    for i in loop.instructions():
        if i.opcode != "load" or not shape.is_varying(i.operands[0]):
            continue
        if _space(i) == GLOBAL and not _is_narrow(i.type):
            root, terms, distance = location(i.operands[0], size_of(i.type), known).start
            signed = distance - ADDRESSES if 2 * distance >= ADDRESSES else distance
            by_address.setdefault((root, terms), []).append((signed, i))
    touching = []
    for loads in by_address.values():
        end = None
        for distance, i in sorted(loads, key=lambda load: load[0]):
            if end is None or distance >= end:
                touching.append(i)
                end = distance + costs.cache_line
    return frozenset(touching)


def _row_accesses(loop: Loop, shape: Lanes) -> frozenset[Instruction]:
    """Return the strided accesses of inner loops that become row accesses if buffers do not overlap.

    Loops that only fill or copy rows are estimated unchanged: scalar code is faster there.
    """
    function = loop.header.parent
    inner = [m for m in loop.children if m.header not in shape.masked]
    unit_step_loops = [u for m in _innermost(inner) if (u := unit_step_loop(m)) is not None]
    if not unit_step_loops:
        return frozenset()

    def is_relevant(i: Instruction) -> bool:
        return i.opcode in ("load", "store") and i.block not in shape.masked and is_far(i, shape)

    aliases = AliasQueries(function, None)
    rows = [[row.access for row in rows_of(unit_step, aliases, is_relevant)] for unit_step in unit_step_loops]
    return frozenset(i for accesses in rows if not any(map(_only_moves, accesses)) for i in accesses)


def _only_moves(store: Instruction) -> bool:
    """Whether a store writes a constant or an unmodified loaded value."""
    value = store.operands[0] if store.opcode == "store" else None
    while isinstance(value, Instruction) and value.opcode in _FREE and value.opcode != "phi":
        value = value.operands[0]
    return value is not None and (not isinstance(value, Instruction) or value.opcode == "load")


def _divergent_loops(loop: Loop, shape: Lanes) -> list[Loop]:
    """Return the outermost inner loops that run under masks, for which the serial strategy leaves lanes.

    A loop that all lanes run equally often is none of them, even if some of its blocks are masked.
    """
    found, work = [], list(loop.children)
    while work:
        inner = work.pop()
        if inner.header in shape.masked:
            found.append(inner)
        else:
            work += inner.children
    return found


def _innermost(loops: Sequence[Loop]) -> list[Loop]:
    return [inner for loop in loops for inner in loop.nest() if not inner.children]


def _row_cost(i: Instruction, width: int, target: Target) -> float:
    """Return the cost of a row access: each lane accesses a piece for several iterations; and transposing."""
    type = i.accessed_type
    lanes = target.register_bits // 8 / max(4, size_of(type))
    return width / lanes * (1.0 + target.costs.shuffle * log2(lanes))


def _depth(block: Block, loop: Loop, forest: LoopForest) -> int:
    """Return the number of inner loops around a block, capped at MOST_NESTED."""
    return min(forest.depth(block) - loop.depth, MOST_NESTED)


def _writing_loops(loop: Loop, forest: LoopForest) -> set[Loop]:
    """Return the inner loops in which memory other than the work-item's own may change."""
    writing: set[Loop] = set()
    for block in loop.blocks:
        if any(_may_write(i) for i in block.instructions):
            at = forest.loop_of(block)
            while at is not None and at.header is not loop.header:
                writing.add(at)
                at = at.parent
    return writing


def _may_write(i: Instruction) -> bool:
    if i.opcode == "store":
        return _space(i) != PRIVATE
    if i.opcode == "call":
        return not has_no_effects(i)
    return i.opcode in ("atomicrmw", "cmpxchg", "fence")


def _steps_out(
    load: Instruction,
    loop: Loop,
    forest: LoopForest,
    writing: set[Loop],
    steps_of: Callable[[Loop], LoopEvolution],
) -> int:
    """Return how many inner loops LLVM hoists a load out of: its address and the memory are invariant."""
    if _space(load) == PRIVATE or load.is_ordered:
        return 0
    steps, at = 0, forest.loop_of(load.parent)
    while at is not None and at.header is not loop.header and at not in writing:
        if not steps_of(at).is_invariant(load.operands[0]):
            break
        steps, at = steps + 1, at.parent
    return steps


def _goes_down_column(load: Instruction, shape: Lanes, steps: LoopEvolution, costs: Costs) -> bool:
    """Whether lanes load consecutive elements, but each iteration accesses another cache line."""
    by_lane, step = shape.of(load.operands[0]), steps.of(load.operands[0])
    if _space(load) != GLOBAL or by_lane is None or by_lane.stride != size_of(load.type):
        return False
    return step is None or abs(step.stride) >= costs.cache_line


def _spills(loop: Loop, forest: LoopForest, shape: Lanes, width: int, target: Target) -> float:
    """Return the cost of spilling values that are live through innermost loops and exceed the registers."""
    cost = 0.0
    for inner in _innermost(loop.children):
        values = [*_carried(shape, inner), *_from_outside(loop, shape, inner)]
        live = sum(_registers(value.type, width, target) for value in values)
        excess = live - target.vector_registers
        if excess > 0:
            cost += 2 * excess * float(target.costs.loop_trips) ** _depth(inner.header, loop, forest)
    return cost


def _registers(type: Type, width: int, target: Target) -> float:
    bits = 8 if type.scalar is I1 else 64 if type.is_pointer else size_of(type.scalar) * 8
    return max(1.0, components(type) * width * bits / target.register_bits)


def scalar_cost(i: Instruction, target: Target) -> float:
    """Return the cost of an instruction for one work-item."""
    if i.opcode in _FREE:
        return 0.0
    type = i.operands[0].type if i.opcode == "store" else i.type
    registers = _registers(type, 1, target) if isinstance(type, VectorType) else 1.0
    if i.opcode in ("atomicrmw", "cmpxchg") or is_atomic_function(i):
        return target.costs.division
    if i.opcode == "call":
        known = call_cost(i)
        if known is not None:
            return target.costs.call + known.scalar
        name = i.callee_name
        return registers * (1.0 if name.startswith("llvm.") else target.costs.call)
    if i.opcode in _DIVISIONS:
        return target.costs.division * registers
    return registers


def _wide_cost(i: Instruction, one: float, shape: Lanes, width: int, target: Target, straight: bool) -> float:
    """Return the cost of an instruction for all lanes."""
    block, costs = i.parent, target.costs
    if i.is_terminator:
        return one + (costs.mask if block in shape.divergent else 0.0)
    if i.opcode in ("load", "store"):
        return _access_cost(i, shape, width, target, straight)
    if not shape.is_varying(i):
        return one
    number = isinstance(i.type.scalar, FloatType | IntType)
    registers = _registers(i.type, width, target) if number else 1.0
    if i.opcode in ("extractelement", "insertelement", "shufflevector"):
        return costs.shuffle * registers
    known = call_cost(i)
    if known is not None and known.wide is not None:
        return costs.lane_turn + costs.call + known.wide * max(1.0, width / known.lanes)
    if i.opcode in ("atomicrmw", "cmpxchg") or _runs_sequentially(i):
        return width * (costs.lane_turn + one)
    if i.opcode == "call":
        name = i.callee_name
        return registers * (1.0 if name.startswith("llvm.") else target.costs.call)
    if divides_by_floats(i):
        # 32-bit numbers are divided as 64-bit ones; the conversions come on top.
        return (costs.division + costs.conversions) * registers * (2 if size_of(i.type.scalar) == 4 else 1)
    if i.opcode in _DIVISIONS:
        # No vector instruction divides integers. LLVM multiplies by the inverse of a constant of up to 32
        # bits.
        by_lane = isinstance(i.type.scalar, IntType) and not _has_inverse(i)
        return costs.division * (width if by_lane else registers)
    return 0.0 if i.opcode in _FREE else registers


def _has_inverse(division: Instruction) -> bool:
    """Whether an integer is divided by a constant, and the product with its inverse fits into 64 bits."""
    return isinstance(division.operands[1], Constant) and size_of(division.type.scalar) <= 4


def _runs_sequentially(i: Instruction) -> bool:
    """Whether a call is executed for one lane after the other."""
    return i.opcode == "call" and (not is_same_for_same_arguments(i) or is_own_function(i))


def _access_cost(i: Instruction, shape: Lanes, width: int, target: Target, straight: bool) -> float:
    costs = target.costs
    type = i.accessed_type
    evolution = shape.of(i.operands[-1])
    if i.is_ordered:
        return width * (costs.lane_turn + 1)
    if evolution is not None and evolution.stride == 0:
        return 1.0
    registers = _registers(type, width, target)
    masked = i.block in shape.masked
    if evolution is not None and evolution.stride == size_of(type):
        return registers * (costs.masked_access if masked else 1.0)
    if (pieces := shape.pieces(i.operands[-1])) is not None and not masked:
        return pieces.count * (1.0 + costs.shuffle)
    if isinstance(type, VectorType):
        return width * (1.0 + costs.shuffle)
    if is_reversed(evolution, type):
        return registers * (1.0 + costs.shuffle)
    if (
        i.opcode == "load"
        and not masked
        and evolution is not None
        and abs(evolution.stride) <= MAX_STRIDE * size_of(type)
    ):
        return registers * abs(evolution.stride) / size_of(type) * (1.0 + costs.shuffle)
    if i.opcode == "store" and evolution is not None and is_sparse(evolution, type):
        return registers * evolution.stride / size_of(type) * (costs.masked_access + costs.shuffle)
    array = small_array(i.operands[-1], type, width) if evolution is None else None
    if array is not None:
        return costs.selection * array.count * registers
    scatters = i.opcode == "store" and not masked and _space(i) != PRIVATE
    if scatters and straight and _is_narrow(type):
        # Lanes store sequentially, which costs no more than a gather; in loops they would wait for each
        # other.
        return width * costs.gather
    return width * (
        (costs.scatter if scatters else costs.gather) + (costs.narrow_access if _is_narrow(type) else 0.0)
    )


def _is_narrow(type: Type) -> bool:
    """Whether processors have no gathers and scatters of a type: lanes load and store sequentially."""
    return size_of(type) < 4


def interleaving(loop: Loop, shape: Lanes, width: int, items: int | None, target: Target) -> int:
    """Return how many registers a value should take, so that operations need not wait for one another.

    More than one if an inner loop's values then still fit into the registers, and there are enough work-items
    (`items` is their number if it is known). Lanes that leave a loop at different times wait for one another,
    so then two are enough; four of 64-bit values, which hold as many lanes as two of others, unless inner
    loops gather or scatter.
    """
    if not loop.children or any(LANE in i.metadata for i in loop.instructions()):
        return 1  # private arrays are laid out for one register
    called = [i for m in loop.children for i in m.instructions() if is_builtin(i)]
    if called and (shape.divergent_loops or any(map(_fills_registers, called))):
        return 1
    registers, most_lanes = target.vector_registers, target.costs.interleaved_lanes
    temporaries = target.costs.temporaries
    live = max(map(Recursion(partial(_live, loop, shape, temporaries), 0), loop.children))
    most = 4
    if shape.divergent_loops:
        by_address = any(_is_by_address(i, shape) for m in loop.children for i in m.instructions())
        most = 4 if 2 * width == target.lanes(32) and not by_address else 2
    registers_each = 1
    while (
        registers_each < most
        and 2 * registers_each * live <= registers * 3 // 4
        and 2 * registers_each * width <= most_lanes
    ):
        if items is not None and items % (2 * registers_each * width):
            break
        registers_each *= 2
    return registers_each


def _is_by_address(i: Instruction, shape: Lanes) -> bool:
    """Return whether an instruction accesses memory at an address of each lane."""
    return i.opcode in ("load", "store") and shape.is_varying(i.operands[-1])


def _live(loop: Loop, shape: Lanes, temporaries: int, inner: Loop) -> Definition[Loop, int]:
    """Estimate how many registers of varying values an inner loop needs."""
    outer = _from_outside(loop, shape, inner)
    inside = 0
    for child in inner.children:
        inside = max(inside, (yield child) - len(outer))
    return len(_carried(shape, inner)) + len(outer) + max(temporaries, inside)


def _carried(shape: Lanes, inner: Loop) -> list[Instruction]:
    """Return the varying loop-carried values of a loop."""
    return [phi for phi in inner.header.phis() if shape.is_varying(phi)]


def _from_outside(loop: Loop, shape: Lanes, inner: Loop) -> dict[Value, None]:
    """Return the varying values of a work-item loop that an inner loop uses but does not compute.

    What it only starts from is in the register of the value that it carries.
    """
    outer: dict[Value, None] = {}
    starts = set(inner.header.phis())
    for block in inner.blocks:
        for i in block.instructions:
            for operand in i.operands if i not in starts else ():
                at = operand.block if isinstance(operand, Instruction) else None
                if at in loop.blocks and at not in inner.blocks and shape.is_varying(operand):
                    outer[operand] = None
    return outer


def _space(access: Instruction) -> int:
    return address_space(access.operands[-1].type)


def is_builtin(i: Instruction) -> bool:
    """Whether an instruction calls a library function, which has versions for several lanes."""
    return i.callee_name.startswith("_Z") and has_no_effects(i)


def _fills_registers(call: Instruction) -> bool:
    """Whether a library function needs many registers.

    Those of integers are a few instructions each, such as the high part of a product.
    """
    return any(isinstance(o.type.scalar, FloatType) for o in (call, *call.arguments))


def is_wide(i: Instruction) -> bool:
    """Whether a varying value takes 64 bits per lane; indices folded into addresses do not count."""
    if not isinstance(i.type.scalar, FloatType | IntType) or i.type.scalar.bits != 64:
        return False
    return any(u.opcode != "getelementptr" for u in i.users)
