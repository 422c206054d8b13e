"""Version divergent loops for coherent lanes: a run-time test finds consecutive addresses.

    row = e % c;  for (y = max(row - w, 0); …) … = pattern[y] * window[row - y]

If all lanes start with the same y and their rows are consecutive, y is uniform (I. El Hajj, *Dynamic loop
vectorization*, 2014, chapter 5: a counter that all active work-items share stays a scalar), pattern[y] is one
load and window[row - y] a vector load. No proof can show that, so the code tests the values that enter the
loop, once:

    if (y == y of the first lane, row == row of the first lane + 0, 1, 2, … in all lanes)
        the loop, with uniform y and consecutive row
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
from weft.ir.graph import reachable
from weft.ir.loops import Loop
from weft.ir.types import I32, I64, IntType, PointerType, size_of
from weft.ir.values import const_int

from .dynamic_loops import dvec_s
from .loop_plan import LoopPlan
from .loop_state import LoopState, merged
from .masked_code import MaskedCode
from .masked_loop import masked

# Strategies that support code for coherent lanes.
STRATEGIES = ("masked", "narrow", "dvec-s")
_STRATEGIES = (masked, dvec_s)


@dataclass(frozen=True)
class CoherentLoops:
    """Versions the divergent loops of a planned work-item loop where that is likely profitable."""

    plan: LoopPlan

    def run(self, code: MaskedCode, loop: Loop, start: Callable[[], LoopState]) -> LoopState:
        """Emit a loop by the code's strategy, with a version for each case of likely coherent lanes."""
        cases = self._cases(code, loop)
        if not cases:
            return code.strategy(code, loop, start())
        w, function = code.w, code.function
        after, no_lanes = function.add_block("simd.exit"), w.no_lanes()
        ends: list[tuple[Block, LoopState]] = []

        def run() -> None:
            end = code.strategy(code, loop, start())
            ends.append((w.b.block, LoopState(no_lanes, {}, end.left, end.outs)))
            w.b.br(after)

        for inputs, coherent in cases:
            firsts: dict[Value, Value] = {}
            all_agree: Value | None = None
            for value, stride in inputs.items():
                firsts[value], same = _test_linear(code, value, stride)
                all_agree = same if all_agree is None else w.b.binary("and", all_agree, same)
            assert all_agree is not None
            coherent_block, incoherent_block = (
                function.add_block("simd.coherent"),
                function.add_block("simd.incoherent"),
            )
            w.b.cond_br(all_agree, coherent_block, incoherent_block)
            w.go_to(coherent_block)
            with code.assuming(coherent, firsts, loop):
                run()
            w.go_to(incoherent_block)
        run()
        w.go_to(after)
        return merged(w, ends)

    def _cases(self, code: MaskedCode, loop: Loop) -> list[tuple[dict[Value, int], Lanes]]:
        """Return the cases: the strides that values must have on entry, and the shapes that follow."""
        if loop.children or code.strategy not in _STRATEGIES or not self.plan.options.coherent:
            return []
        shape = code.shape
        strides = LikelyStrides(shape.of)
        loads = _likely_consecutive(loop, shape, strides)
        likely: dict[Value, frozenset[int]] = {}
        for value in self._inputs(loop, [i.operands[0] for i in loads], shape):
            if likely_strides := strides.of(value):
                likely[value] = likely_strides
        # The start of a loop may be the larger of two numbers: it is the one in most lanes, or the other.
        choices = [
            {value: choose(likely_strides, key=abs) for value, likely_strides in likely.items()}
            for choose in (min, max)
        ]
        cases = [self._case(loop, choice, loads, shape) for choice in (choices if loads else [])]
        return [
            case for n, case in enumerate(cases) if case is not None and (n == 0 or choices[0] != choices[1])
        ]

    def _case(
        self, loop: Loop, inputs: dict[Value, int], loads: list[Instruction], shape: Lanes
    ) -> tuple[dict[Value, int], Lanes] | None:
        """Extend a case by all values that are linear then; None if no load gains by it."""
        everything = list(loop.instructions())
        while True:
            assumed = {value: Evolution(stride) if stride else INVARIANT for value, stride in inputs.items()}
            plan = self.plan
            together = Assumed({**plan.shape.assumed, **assumed}, plan.width)
            coherent = lanes(plan.loop, plan.counter, plan.forest, together)
            more = {
                value: evolution.stride
                for value in self._inputs(loop, everything, shape)
                if value not in inputs and (evolution := coherent.of(value)) is not None
            }
            if not more:
                break
            inputs = inputs | more
        if not any(
            (evolution := coherent.of(i.operands[0])) and evolution.stride in (0, size_of(i.type))
            for i in loads
        ):
            return None
        if not all(_is_testable(value) for value in inputs):
            return None
        inside: dict[Value, Evolution | None] = {i: coherent.of(i) for i in everything}
        return inputs, replace(shape, shapes={**shape.shapes, **inside, **assumed})

    def _inputs(self, loop: Loop, of: Sequence[Value], shape: Lanes) -> list[Value]:
        """Return the varying values from outside the loop on which the given values depend."""

        def operands(value: Value) -> list[Value]:
            return value.operands if isinstance(value, Instruction) and value.block in loop.blocks else []

        reached = (v for v in reachable(of, operands) if isinstance(v, Instruction))
        return [i for i in reached if i.block not in loop.blocks and shape.is_varying(i)]


def may_be_coherent(loop: Loop, shape: Lanes) -> bool:
    """Return whether a divergent loop may get code for coherent lanes."""
    return not loop.children and bool(_likely_consecutive(loop, shape, LikelyStrides(shape.of)))


def _likely_consecutive(loop: Loop, shape: Lanes, strides: LikelyStrides) -> list[Instruction]:
    """Return the varying loads of a loop that are likely to load consecutive elements."""
    return [
        i
        for i in loop.instructions()
        if i.opcode == "load"
        and shape.is_varying(i.operands[0])
        and strides.are_consecutive(i.operands[0], size_of(i.type))
    ]


def _is_testable(value: Value) -> bool:
    return isinstance(value.type, PointerType) or (
        isinstance(value.type, IntType) and value.type.bits in (32, 64)
    )


def _test_linear(code: MaskedCode, value: Value, stride: int) -> tuple[Value, Value]:
    """Return the first lane's value, and whether the other lanes follow at `stride` without wrapping."""
    w = code.w
    # Inactive lanes may hold poison, which freeze turns into an arbitrary value.
    vector: Value = w.b.emit("freeze", w.wide(value.type), [w.vector(value)])
    first = w.b.emit("extractelement", value.type, [vector, const_int(I32, 0)])
    numbers, start = vector, first
    if isinstance(value.type, PointerType):
        numbers = w.b.emit("ptrtoint", w.wide(I64), [vector])
        start = w.b.emit("extractelement", I64, [numbers, const_int(I32, 0)])
    assert isinstance(start.type, IntType)
    expected = w.splat(start)
    if stride:
        expected = w.b.binary("add", expected, w.progression(start.type, stride))
    same = w.every_lane(w.b.icmp("eq", numbers, expected))
    if stride and start is first:
        # Shapes describe numbers that wrap neither signed nor unsigned: all must lie between 0 and the
        # largest int.
        span = (w.width - 1) * abs(stride)
        least = start if stride > 0 else w.b.binary("sub", start, const_int(start.type, span))
        largest = const_int(start.type, (1 << (start.type.bits - 1)) - 1 - span)
        same = w.b.binary("and", same, w.b.icmp("ule", least, largest))
    return first, same
