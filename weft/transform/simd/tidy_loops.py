"""A divergent loop is there twice: for lanes that turn out to be in line when they enter it, and for others.

    row = e % c;  for (y = max(row - w, 0); …) … = pattern[y] * window[row - y]

Where all lanes begin with the same y and their rows follow one another, y is one number for all of them
(I. El Hajj, *Dynamic loop vectorization*, 2014, chapter 5: a counter that all active work-items share stays a
scalar), pattern[y] one load and window[row - y] a vector load. No proof can promise that, so the code looks
at what enters the loop, once:

    if (y == y of the first lane, row == row of the first lane + 0, 1, 2, … in all lanes)
        the loop, with y and row so
    else
        the loop, with gathers

`analysis/likely_strides.py` tells for which loops that is worth while: those whose addresses only remainders,
quotients, minima and the like keep from being in line. Only innermost loops, and only what their addresses
depend on, are looked at; masks stay what they are. What is done one lane after the other gains nothing by it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from weft.analysis.lanes import UNIFORM, Assumed, Lanes, LaneShape, lanes
from weft.analysis.likely_strides import likely_in_line, likely_strides
from weft.ir import Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.loops import Loop, LoopForest
from weft.ir.types import I32, I64, IntType, PointerType, size_of
from weft.ir.values import const_int

from .dynamic_loops import dvec_s
from .loop_state import LoopState
from .masked_code import MaskedCode
from .masked_loop import masked

_WAYS = (masked, dvec_s)


@dataclass(frozen=True)
class TidyLoops:
    """Runs divergent loops of a work-item loop in two versions, where that is likely to pay."""

    function: Function
    loop: Loop
    counter: Instruction
    forest: LoopForest
    assumed: Assumed

    def run(self, code: MaskedCode, loop: Loop, start: Callable[[], LoopState]) -> LoopState:
        """Emits a loop in the way of the code, twice if lanes are likely to be in line."""
        found = self._in_line(code, loop)
        if found is None:
            return code.way(code, loop, start())
        inputs, tidy = found
        w, function = code.w, code.function
        firsts: dict[Value, Value] = {}
        agree: Value | None = None
        for value, stride in inputs.items():
            firsts[value], same = _look(code, value, stride)
            agree = same if agree is None else w.b.binary("and", agree, same)
        assert agree is not None
        near, far, after = (function.add_block(f"simd.{name}") for name in ("tidy", "untidy", "through"))
        w.b.cond_br(agree, near, far)
        w.b = Builder(near)
        general, kept = code.shape, _Kept(code)
        code.shape = w.lanes = tidy
        for i in (i for block in loop.blocks for i in block.instructions):
            w.vectors.pop(i, None)  # of the loop as it was emitted elsewhere
            w.scalars.pop(i, None)
        w.scalars.update(firsts)
        first = code.way(code, loop, start())
        ends = [w.b.block]
        w.b.br(after)
        kept.restore()
        code.shape = w.lanes = general
        w.b = Builder(far)
        second = code.way(code, loop, start())
        ends.append(w.b.block)
        w.b.br(after)
        w.b = Builder(after)

        def one(a: Value, b: Value) -> Value:
            phi = w.b.phi(a.type, a.name)
            phi.add_incoming(a, ends[0])
            phi.add_incoming(b, ends[1])
            return phi

        return LoopState(
            w.no_lanes(),
            {},
            {edge: one(mask, second.left[edge]) for edge, mask in first.left.items()},
            {key: one(value, second.outs[key]) for key, value in first.outs.items()},
        )

    def _in_line(self, code: MaskedCode, loop: Loop) -> tuple[dict[Value, int], Lanes] | None:
        """What has to be in line when a loop is entered, and the shapes of its values then."""
        if loop.children or code.way not in _WAYS:
            return None
        shape = code.shape
        loads = [
            i
            for block in loop.blocks
            for i in block.instructions
            if i.opcode == "load"
            and shape.is_varying(i.operands[0])
            and likely_in_line(shape, i.operands[0], size_of(i.type))
        ]
        if not loads:
            return None
        inputs: dict[Value, int] = {}
        for value in self._inputs(loop, [i.operands[0] for i in loads], shape):
            strides = likely_strides(shape, value)
            if strides:
                inputs[value] = min(strides, key=abs)
        while True:
            assumed = {value: LaneShape(stride) if stride else UNIFORM for value, stride in inputs.items()}
            tidy = lanes(self.function, self.loop, self.counter, self.forest, {**self.assumed, **assumed})
            everything = [i for block in loop.blocks for i in block.instructions]
            more = {
                value: found.stride
                for value in self._inputs(loop, everything, shape)
                if value not in inputs and (found := tidy.of(value)) is not None
            }
            if not more:
                break
            inputs |= more
        gains = [
            i for i in loads if (found := tidy.of(i.operands[0])) and found.stride in (0, size_of(i.type))
        ]
        if not gains or not all(_can_look(value) for value in inputs):
            return None
        inside: dict[Value, LaneShape | None] = {i: tidy.of(i) for i in everything}
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


class _Kept:
    """What emitting a loop changes, to be put back before it is emitted again."""

    def __init__(self, code: MaskedCode) -> None:
        self.code = code
        w = code.w
        self.maps = [(m, dict(m)) for m in (w.scalars, w.vectors, code.always, code.edge_mask)]
        self.more = [(m, dict(m)) for m in (code.block_mask, code.live_out)]
        self.done = set(code.done)

    def restore(self) -> None:
        for place, content in (*self.maps, *self.more):
            place.clear()
            place.update(content)  # type: ignore[arg-type]
        self.code.done = self.done


def _can_look(value: Value) -> bool:
    return isinstance(value.type, PointerType) or (
        isinstance(value.type, IntType) and value.type.bits in (32, 64)
    )


def _look(code: MaskedCode, value: Value, stride: int) -> tuple[Value, Value]:
    """The first lane's value, and whether the others follow it at a distance."""
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
    return first, w.every_lane(w.b.icmp("eq", numbers, wanted))
