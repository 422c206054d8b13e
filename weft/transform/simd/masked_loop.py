"""The masked way: a loop runs in lanes until no lane is active any more.

    do { body under the mask of the active lanes } while (any lane is active)

(Karrenberg and Hack, *Whole-function vectorization*, 2011, 4.2.4.) Lanes that have left wait for the last
one; what they carry out is kept in a vector as they leave.
"""

from weft.ir import Value
from weft.ir.builder import Builder
from weft.ir.loops import Loop
from weft.ir.types import I1
from weft.ir.values import ConstantZero

from .loop_state import Edge, LoopState, exit_groups
from .masked_code import MaskedCode, all_lanes_come_to, blocks_behind, order_of, simd_name


def masked(code: MaskedCode, loop: Loop, state: LoopState) -> LoopState:
    """Runs a loop from a state under masks."""
    w, header, latch = code.w, loop.header, loop.latch
    assert latch is not None
    top, after = code.function.add_block(simd_name(header)), code.function.add_block("simd.done")
    before = w.b.block
    w.b.br(top)
    w.b = Builder(top)
    active = w.b.phi(w.wide(I1), "active")
    active.add_incoming(state.active or w.all_lanes(), before)
    phis = {}
    for phi, start in state.phis.items():
        new = w.b.phi(start.type, phi.name)
        new.add_incoming(start, before)
        (w.vectors if code.shape.is_varying(phi) else w.scalars)[phi] = new
        phis[phi] = new
    lefts = {edge: w.b.phi(w.wide(I1), "left") for edge in state.left}
    for edge, left in lefts.items():
        left.add_incoming(state.left[edge], before)
    outs = {}
    for (edge, value), start in state.outs.items():
        name = next(p.name for p in edge[1].phis() if p.incoming_from(edge[0]) is value)
        out = w.b.phi(start.type, name)
        out.add_incoming(start, before)
        outs[edge, value] = out
    if code.records is not None:
        code.records.count_lanes(w.b, loop, "masked", active, w.width)
    end = iteration(code, loop, LoopState(active, dict(phis), dict(lefts), dict(outs)))
    assert end.active is not None
    more = w.any_lane(end.active)
    bottom = w.b.block
    w.b.cond_br(more, top, after)
    active.add_incoming(end.active, bottom)
    for phi, new in phis.items():
        new.add_incoming(end.phis[phi], bottom)
    for edge, left in lefts.items():
        left.add_incoming(end.left[edge], bottom)
    for key, out in outs.items():
        out.add_incoming(end.outs[key], bottom)
    w.b = Builder(after)
    return end


def iteration(code: MaskedCode, loop: Loop, state: LoopState) -> LoopState:
    """Emits an iteration for the active lanes; the header's phis have their values already."""
    w, header, latch = code.w, loop.header, loop.latch
    assert latch is not None
    _settle_masks(code, loop, state.active)
    code.run(header, state.active)
    for node in order_of(loop):
        if node is not header:
            code.node(node)
    leaving: dict[Edge, Value] = {}
    for edge, others in exit_groups(loop).items():
        mask = code.mask_of(edge)
        for other in others:
            mask = w.either(mask, code.mask_of(other))
        leaving[edge] = mask or w.all_lanes()
    left = {}
    for edge, before in state.left.items():
        nobody = isinstance(leaving[edge], ConstantZero)
        left[edge] = before if nobody else w.b.binary("or", before, leaving[edge])
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
    back = (latch, header)  # the latch may lie in an inner loop, which lanes leave by this edge
    again = code.mask_of(back)
    phis = {p: code.edge_value(p.incoming_from(latch), back, code.shape.is_varying(p)) for p in state.phis}
    return LoopState(again, phis, left, outs)


def _settle_masks(code: MaskedCode, loop: Loop, active: Value | None) -> None:
    """Blocks that all active lanes come to have the mask of the header; what was known before is void."""
    for block in loop.blocks:
        code.always.pop(block, None)
    inside = loop.blocks
    for key in [key for key in code.live_out if key[0] in inside]:
        del code.live_out[key]
    turning = code.turning.exits if code.turning is not None and active is None else {}
    leaving = {source for source, _ in loop.exit_edges if source not in turning}
    behind = blocks_behind(loop, leaving)
    for block in all_lanes_come_to(loop):
        if block not in behind:
            code.always[block] = active
