"""The masked strategy: a loop runs in lanes until no lane is active.

    do { body under the mask of the active lanes } while (any lane is active)

(Karrenberg and Hack, *Whole-function vectorization*, 2011, 4.2.4.) Lanes that have left wait for the last
one; the values that they carry out are collected in a vector as they leave.

A loop that is not divergent is masked because only some lanes enter it. These leave it together: the mask is
invariant, the exit is a branch on a scalar, and values leave the loop unchanged.
"""

from weft.analysis.lanes import Lanes
from weft.dataclasses import replace
from weft.ir import Block, Instruction, Value
from weft.ir.loops import Loop
from weft.ir.values import ConstantZero

from .loop_state import Edge, LoopState, exit_groups
from .masked_code import MaskedCode, blocks_of_all_lanes, order_of, simd_name


def masked(code: MaskedCode, loop: Loop, state: LoopState) -> LoopState:
    """Run a loop from a state under masks."""
    exit = common_exit(loop, code.shape)
    if exit is not None:
        return _together(code, loop, state, exit)
    w, header = code.w, loop.header
    top, after = code.function.add_block(simd_name(header)), code.function.add_block("simd.done")
    before = w.b.block
    w.b.br(top)
    w.go_to(top)
    state = replace(state, active=state.active or w.all_lanes())
    header_state = state.phis_at(w.b)
    header_state.arrive(state, before)
    for phi, value in header_state.phis.items():
        w.define(phi, value)
    assert header_state.active is not None
    code.count_lanes(loop, "masked", header_state.active)
    end = iteration(code, loop, header_state)
    assert end.active is not None
    more = w.any_lane(end.active)
    bottom = w.b.block
    w.b.cond_br(more, top, after)
    header_state.arrive(end, bottom)
    w.go_to(after)
    return end


def _run_blocks(code: MaskedCode, loop: Loop, active: Value | None) -> None:
    """Emit the blocks of an iteration for the active lanes."""
    code.begin_iteration(loop, active)
    code.run(loop.header, active)
    for node in order_of(loop):
        if node is not loop.header:
            code.node(node)


def iteration(code: MaskedCode, loop: Loop, state: LoopState) -> LoopState:
    """Emit an iteration for the active lanes; the header's phis must have their values already."""
    w, latch = code.w, loop.known_latch
    _run_blocks(code, loop, state.active)
    leaving: dict[Edge, Value] = {}
    for edge, others in exit_groups(loop).items():
        mask = code.mask_of(edge)
        for other in others:
            mask = w.either(mask, code.mask_of(other))
        leaving[edge] = mask or w.all_lanes()
    left = {}
    for edge, before in state.left.items():
        no_lane = isinstance(leaving[edge], ConstantZero)
        left[edge] = before if no_lane else w.b.binary("or", before, leaving[edge])
    outs = {}
    for (edge, value), out in state.outs.items():
        if isinstance(leaving[edge], ConstantZero):
            outs[edge, value] = out
            continue
        varying = out.type is not value.type
        form = code.edge_value(value, edge, varying)
        taken = leaving[edge]
        outs[edge, value] = (
            w.choose(taken, form, out) if varying else w.b.select(w.any_lane(taken), form, out)
        )
    back = (latch, loop.header)  # the latch may lie in an inner loop, which lanes leave by this edge
    again = code.mask_of(back)
    phis = {p: code.edge_value(p.incoming_from(latch), back, code.shape.is_varying(p)) for p in state.phis}
    return LoopState(again, phis, left, outs)


def common_exit(loop: Loop, shape: Lanes) -> Block | None:
    """Return the block where all lanes leave a loop together, if that is its only exit."""
    edges = dict.fromkeys(loop.exit_edges)
    if loop in shape.divergent_loops or len(edges) != 1:
        return None
    ((block, _),) = edges
    if block.terminator.opcode != "br" or block not in blocks_of_all_lanes(loop):
        return None
    return block if shape.is_uniform(block.terminator.operands[0]) else None


def _together(code: MaskedCode, loop: Loop, state: LoopState, exit: Block) -> LoopState:
    """Run a loop that its lanes leave together."""
    w, header, latch = code.w, loop.header, loop.known_latch
    back = (latch, header)
    top, after = code.function.add_block(simd_name(header)), code.function.add_block("simd.done")
    before = w.b.block
    w.b.br(top)
    w.go_to(top)
    phis: dict[Instruction, Instruction] = {}
    for phi, value in state.phis.items():
        phis[phi] = w.b.phi(value.type, phi.name)
        phis[phi].add_incoming(value, before)
        w.define(phi, phis[phi])
    active = state.active or w.all_lanes()
    code.count_lanes(loop, "masked", active)
    (edge,) = exit_groups(loop)
    outs: dict[tuple[Edge, Value], Value] = {}

    def leave(mask: Value | None) -> None:
        (stays,) = (target for target in exit.successors() if target is not edge[1])
        for (_, value), out in state.outs.items():
            outs[edge, value] = code.edge_value(value, edge, out.type is not value.type)
        condition, on = w.scalar(exit.terminator.operands[0]), code.function.add_block("simd.stay")
        targets = (on, after) if exit.terminator.operands[1] is stays else (after, on)
        w.b.cond_br(condition, *targets)
        w.go_to(on)
        code.take((exit, stays), mask)

    with code.leaving_together(exit, leave):
        _run_blocks(code, loop, state.active)
    for phi, new in phis.items():
        value = code.edge_value(phi.incoming_from(latch), back, code.shape.is_varying(phi))
        new.add_incoming(value, w.b.block)
    w.b.br(top)
    w.go_to(after)
    return LoopState(w.no_lanes(), dict(phis), {edge: active}, outs)
