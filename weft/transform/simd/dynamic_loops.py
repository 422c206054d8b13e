"""The dynamic strategies: a loop runs without masks as long as all lanes are active, then masked or serially.

    while (all lanes are active) body          ; whole registers, no masks, nothing kept for lanes that left
    the rest, one lane after the other or under masks, from the state that was reached

(I. El Hajj, *Dynamic loop vectorization*, 2014, 4.1 and 4.2.) `dvec` takes as many work-items at once as a
mask has room for: the whole work-group, if it is not larger. It runs the rest serially. `dvec_s` takes
sub-groups: as many work-items as lanes suit the loop; the rest runs under masks, or serially if the loop does
much that has no vector form. Deviation: a sub-group runs its loop to the end before the next one
begins, so that its state stays in registers; work-items between two barriers may run in any order.

Where lanes leave: an exit that all lanes come to, with nothing stored in the iteration up to it, is only
looked at: if some lane wants to leave there, the iteration begins again in the rest's code. Other exits
(breaks after stores, or below divergent branches) let the iteration go on under a mask, and the rest takes
over at its end. So `break` and `continue` are what they are in masked code (Table 4.1).
"""

from weft.analysis.memory_effects import has_no_effects, only_reads
from weft.ir import Block, Instruction
from weft.ir.loops import Loop

from .lane_accesses import is_pure
from .loop_state import LoopState, merged
from .masked_code import MaskedCode, Strategy, all_lanes_come_to, blocks_after, simd_name
from .masked_loop import iteration, masked
from .serialization import serial
from .wide_calls import is_dropped


def dvec(code: MaskedCode, loop: Loop, state: LoopState) -> LoopState:
    """Runs a loop in lanes while all are active, then one lane after the other."""
    return _dynamic(code, loop, state, "full", serial)


def dvec_s(code: MaskedCode, loop: Loop, state: LoopState) -> LoopState:
    """Runs a loop in lanes while all of a sub-group are active, then under masks or serially."""
    return _dynamic(code, loop, state, "sub-group", serial if has_turns(loop) else masked)


def has_turns(loop: Loop) -> bool:
    """Whether a loop does something that lanes do serially."""
    for block in loop.blocks:
        for i in block.instructions:
            if i.opcode in ("atomicrmw", "cmpxchg") or i.attributes.get("volatile"):
                return True
            if i.opcode == "call" and not has_no_effects(i):
                return True
    return False


def _dynamic(code: MaskedCode, loop: Loop, state: LoopState, mode: str, rest: Strategy) -> LoopState:
    w, function = code.w, code.function
    top, partial, some, after = (
        function.add_block(name)
        for name in (simd_name(loop.header), "simd.partial", "simd.masked", "simd.done")
    )
    arrivals: list[tuple[Block, LoopState]] = []  # where not all lanes are active
    before = w.b.block
    if state.active is None:
        w.b.br(top)
    else:
        w.b.cond_br(w.every_lane(state.active), top, partial)
        arrivals.append((before, state))
    w.go_to(top)
    phis: dict[Instruction, Instruction] = {}
    for phi, start in state.phis.items():
        new = w.b.phi(start.type, phi.name)
        new.add_incoming(start, before)
        w.define(phi, new)
        phis[phi] = new
    here = LoopState(None, dict(phis), state.left, state.outs)
    with code.turning_back(looked_at(loop), partial) as turning:
        end = iteration(code, loop, here)
    arrivals += [(block, here) for block in turning.sources]
    code.count(loop, mode)
    bottom = w.b.block
    if end.active is None:
        w.b.br(top)
    else:
        w.b.cond_br(w.every_lane(end.active), top, partial)
        arrivals.append((bottom, end))
    for phi, new in phis.items():
        new.add_incoming(end.phis[phi], bottom)
    w.go_to(partial)
    left = merged(w, arrivals)
    assert left.active is not None
    w.b.cond_br(w.any_lane(left.active), some, after)
    w.go_to(some)
    # What is left when not all lanes are active: loops in it do not test again whether they are.
    with code.in_rest(masked):
        last = rest(code, loop, left)
    end_of_rest = w.b.block
    w.b.br(after)
    w.go_to(after)
    return merged(w, [(partial, left), (end_of_rest, last)])


def looked_at(loop: Loop) -> dict[Block, Block]:
    """The exits at which an iteration may turn back: all lanes come to them, with nothing done before.

    Each has the block where lanes go that stay.
    """
    leaving = {source for source, _ in loop.exit_edges}
    latch = loop.latch
    assert latch is not None
    line = all_lanes_come_to(loop)
    effects = {block for block in loop.blocks if any(map(_has_effect, block.instructions))}
    later = effects | blocks_after(loop, effects | leaving.difference(line))
    found: dict[Block, Block] = {}
    for block in line:
        if block not in leaving:
            continue
        staying = [s for s in block.successors() if s in loop.blocks]
        if block is latch or block in later or len(block.successors()) != 2 or len(staying) != 1:
            break  # what follows has an exit before it
        found[block] = staying[0]
    return found


def _has_effect(i: Instruction) -> bool:
    """Whether it would show if an instruction ran twice in a row, with others in between."""
    if i.opcode in ("store", "atomicrmw", "cmpxchg", "fence") or i.attributes.get("volatile"):
        return True
    return i.opcode == "call" and not (is_pure(i) or only_reads(i) or is_dropped(i))
