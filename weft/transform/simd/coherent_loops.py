"""Version divergent loops for coherent lanes: a run-time test finds consecutive addresses.

    row = e % c;  for (y = max(row - w, 0); …) … = pattern[y] * window[row - y]

If all lanes start with the same y and their rows are consecutive, y is uniform (I. El Hajj, *Dynamic loop
vectorization*, 2014, chapter 5: a counter that all active work-items share stays a scalar), pattern[y] is one
load and window[row - y] a vector load. No proof can show that, so the code tests the values that enter the
loop, once:

    if (y == y of the first lane, row == row of the first lane + 0, 1, 2, … in all lanes)
        the loop, with y and row so
    else
        the loop, with gathers

`max(row - w, 0)` is uniform for most lanes, or linear like row: each of the two is a separate case.

`LikelyStrides` selects the loops: those whose addresses would be consecutive but for remainders, quotients,
minima and similar operations. Only innermost loops, and only the values that their addresses depend on, are
considered; masks do not change. Code that runs lane by lane gains nothing.
"""

from collections.abc import Callable, Sequence

from weft.analysis.evolution import INVARIANT, Evolution, LikelyStrides
from weft.analysis.lanes import Assumed, Lanes, lanes
from weft.dataclasses import dataclass, replace
from weft.ir import Block, Instruction, Value
from weft.ir.loops import Loop
from weft.ir.types import I32, I64, IntType, PointerType, size_of
from weft.ir.values import const_int

from .dynamic_loops import dvec_s
from .loop_plan import LoopPlan
from .loop_state import LoopState, merged
from .masked_code import MaskedCode
from .masked_loop import masked

# The strategies with which divergent loops may have code for coherent lanes.
STRATEGIES = ("masked", "narrow", "dvec-s")
_STRATEGIES = (masked, dvec_s)


@dataclass(frozen=True)
class CoherentLoops:
    """Runs divergent loops of a planned work-item loop in two versions, where that is likely to pay."""

    plan: LoopPlan

    def run(self, code: MaskedCode, loop: Loop, start: Callable[[], LoopState]) -> LoopState:
        """Emits a loop with the code's strategy, and for each case in which its lanes are likely coherent."""
        cases = self._cases(code, loop)
        if not cases:
            return code.strategy(code, loop, start())
        w, function = code.w, code.function
        after, none = function.add_block("simd.exit"), w.no_lanes()
        ends: list[tuple[Block, LoopState]] = []

        def run() -> None:
            end = code.strategy(code, loop, start())
            ends.append((w.b.block, LoopState(none, {}, end.left, end.outs)))
            w.b.br(after)

        for inputs, coherent in cases:
            firsts: dict[Value, Value] = {}
            agree: Value | None = None
            for value, stride in inputs.items():
                firsts[value], same = _look(code, value, stride)
                agree = same if agree is None else w.b.binary("and", agree, same)
            assert agree is not None
            near, far = function.add_block("simd.coherent"), function.add_block("simd.incoherent")
            w.b.cond_br(agree, near, far)
            w.go_to(near)
            with code.assuming(coherent, firsts, loop):
                run()
            w.go_to(far)
        run()
        w.go_to(after)
        return merged(w, ends)

    def _cases(self, code: MaskedCode, loop: Loop) -> list[tuple[dict[Value, int], Lanes]]:
        """What has to be linear when a loop is entered, and the shapes of its values then, case by case."""
        if loop.children or code.strategy not in _STRATEGIES or not self.plan.coherent:
            return []
        shape = code.shape
        strides = LikelyStrides(shape.of)
        loads = _likely_consecutive(loop, shape, strides)
        likely: dict[Value, frozenset[int]] = {}
        for value in self._inputs(loop, [i.operands[0] for i in loads], shape):
            if found := strides.of(value):
                likely[value] = found
        # What begins with the larger of two numbers begins with the one in most lanes, or with the other.
        choices = [
            {value: choose(found, key=abs) for value, found in likely.items()} for choose in (min, max)
        ]
        cases = [self._case(loop, choice, loads, shape) for choice in (choices if loads else [])]
        return [
            case for n, case in enumerate(cases) if case is not None and (n == 0 or choices[0] != choices[1])
        ]

    def _case(
        self, loop: Loop, inputs: dict[Value, int], loads: list[Instruction], shape: Lanes
    ) -> tuple[dict[Value, int], Lanes] | None:
        """A case with all that is linear then; None if no load gains by it."""
        everything = list(loop.instructions())
        while True:
            assumed = {value: Evolution(stride) if stride else INVARIANT for value, stride in inputs.items()}
            plan = self.plan
            together = Assumed({**plan.shape.assumed, **assumed}, plan.width)
            coherent = lanes(plan.function, plan.loop, plan.counter, plan.forest, together)
            more = {
                value: found.stride
                for value in self._inputs(loop, everything, shape)
                if value not in inputs and (found := coherent.of(value)) is not None
            }
            if not more:
                break
            inputs = inputs | more
        if not any(
            (found := coherent.of(i.operands[0])) and found.stride in (0, size_of(i.type)) for i in loads
        ):
            return None
        if not all(_can_look(value) for value in inputs):
            return None
        inside: dict[Value, Evolution | None] = {i: coherent.of(i) for i in everything}
        return inputs, replace(shape, shapes={**shape.shapes, **inside, **assumed})

    def _inputs(self, loop: Loop, of: Sequence[Value], shape: Lanes) -> list[Value]:
        """What varies and enters a loop, of what some values are computed from."""
        found: dict[Value, None] = {}
        seen: set[Value] = set()
        stack: list[Value] = list(of)
        while stack:
            value = stack.pop()
            if value in seen or not isinstance(value, Instruction):
                continue
            seen.add(value)
            if value.block in loop.blocks:
                stack += value.operands
            elif shape.is_varying(value):
                found[value] = None
        return list(found)


def may_be_coherent(loop: Loop, shape: Lanes) -> bool:
    """Whether a divergent loop may get code for coherent lanes."""
    return not loop.children and bool(_likely_consecutive(loop, shape, LikelyStrides(shape.of)))


def _likely_consecutive(loop: Loop, shape: Lanes, strides: LikelyStrides) -> list[Instruction]:
    """The loads of a loop that differ between lanes and are likely to be of consecutive elements."""
    return [
        i
        for i in loop.instructions()
        if i.opcode == "load"
        and shape.is_varying(i.operands[0])
        and strides.are_consecutive(i.operands[0], size_of(i.type))
    ]


def _can_look(value: Value) -> bool:
    return isinstance(value.type, PointerType) or (
        isinstance(value.type, IntType) and value.type.bits in (32, 64)
    )


def _look(code: MaskedCode, value: Value, stride: int) -> tuple[Value, Value]:
    """The first lane's value, and whether the others follow it at a distance, without wrapping."""
    w = code.w
    # Idle lanes may hold poison; from here on it is some value.
    all_of_them: Value = w.b.emit("freeze", w.wide(value.type), [w.vector(value)])
    first = w.b.emit("extractelement", value.type, [all_of_them, const_int(I32, 0)])
    numbers, begin = all_of_them, first
    if isinstance(value.type, PointerType):
        numbers = w.b.emit("ptrtoint", w.wide(I64), [all_of_them])
        begin = w.b.emit("extractelement", I64, [numbers, const_int(I32, 0)])
    assert isinstance(begin.type, IntType)
    wanted = w.splat(begin)
    if stride:
        wanted = w.b.binary("add", wanted, w.progression(begin.type, stride))
    same = w.every_lane(w.b.icmp("eq", numbers, wanted))
    if stride and begin is first:
        # Shapes are of numbers that do not wrap, signed or not: they must lie between 0 and the largest int.
        span = (w.width - 1) * abs(stride)
        least = begin if stride > 0 else w.b.binary("sub", begin, const_int(begin.type, span))
        largest = const_int(begin.type, (1 << (begin.type.bits - 1)) - 1 - span)
        same = w.b.binary("and", same, w.b.icmp("ule", least, largest))
    return first, same
