"""The dynamic strategies: a loop runs without masks while all lanes are active, then masked or serially.

    while (all lanes are active) body          ; full registers, no masks, nothing kept for lanes that left
    the rest, one lane after the other or under masks, from the state that was reached

(I. El Hajj, *Dynamic loop vectorization*, 2014, 4.1 and 4.2.) `dvec` takes as many work-items at once as a
mask has bits: the whole work-group, if it is not larger. It runs the rest serially. `dvec_s` takes
sub-groups: as many work-items as lanes suit the loop; the rest runs under masks, or serially if much of the
loop has no vector form. Deviation: a sub-group runs its loop to the end before the next one begins, so that
its state stays in registers; work-items between two barriers may run in any order.

Exits: if all lanes reach an exit and nothing was stored in the iteration before it, the exit is only tested:
if any lane leaves there, the iteration restarts in the code for the rest. At other exits (breaks after
stores, or below divergent branches) the iteration continues under a mask, and the rest takes over at its end.
So `break` and `continue` work as in masked code (Table 4.1).
"""

from weft.analysis.memory_effects import has_no_effects, only_reads
from weft.ir import Block, Instruction
from weft.ir.loops import Loop

from .lane_accesses import is_pure
from .loop_state import LoopState, merged
from .masked_code import MaskedCode, Strategy, blocks_after, blocks_of_all_lanes, simd_name
from .masked_loop import iteration, masked
from .serialization import serial
from .wide_calls import is_dropped


def dvec(code: MaskedCode, loop: Loop, state: LoopState) -> LoopState:
    """Run a loop in lanes while all are active, then one lane after the other."""
    return _dynamic(code, loop, state, "full", serial)


def dvec_s(code: MaskedCode, loop: Loop, state: LoopState) -> LoopState:
    """Run a loop in lanes while all of a sub-group are active, then under masks or serially."""
    return _dynamic(code, loop, state, "sub-group", serial if has_serial_operations(loop) else masked)


def has_serial_operations(loop: Loop) -> bool:
    """Return whether a loop contains operations that lanes run serially."""
    for block in loop.blocks:
        for i in block.instructions:
            if i.opcode in ("atomicrmw", "cmpxchg") or i.attributes.get("volatile"):
                return True
            if i.opcode == "call" and not has_no_effects(i):
                return True
    return False


def _dynamic(code: MaskedCode, loop: Loop, state: LoopState, mode: str, rest: Strategy) -> LoopState:
    w, function = code.w, code.function
    top, partial, masked_block, after = (
        function.add_block(name)
        for name in (simd_name(loop.header), "simd.partial", "simd.masked", "simd.done")
    )
    arrivals: list[tuple[Block, LoopState]] = []  # states in which not all lanes are active

    def branch(at: LoopState) -> Block:
        """Go to `top` if all lanes are active; return the block that branches."""
        source = w.b.block
        if at.active is None:
            w.b.br(top)
        else:
            w.b.cond_br(w.every_lane(at.active), top, partial)
            arrivals.append((source, at))
        return source

    before = branch(state)
    w.go_to(top)
    phis: dict[Instruction, Instruction] = {}
    for phi, start in state.phis.items():
        new = w.b.phi(start.type, phi.name)
        new.add_incoming(start, before)
        w.define(phi, new)
        phis[phi] = new
    header_state = LoopState(None, dict(phis), state.left, state.outs)
    with code.restarting(restart_exits(loop), partial) as restart:
        end = iteration(code, loop, header_state)
    arrivals += [(block, header_state) for block in restart.sources]
    code.count(loop, mode)
    bottom = branch(end)
    for phi, new in phis.items():
        new.add_incoming(end.phis[phi], bottom)
    w.go_to(partial)
    partial_state = merged(w, arrivals)
    assert partial_state.active is not None
    w.b.cond_br(w.any_lane(partial_state.active), masked_block, after)
    w.go_to(masked_block)
    # In the rest, where not all lanes are active, inner loops do not test again whether all are.
    with code.in_remainder(masked):
        final_state = rest(code, loop, partial_state)
    end_of_rest = w.b.block
    w.b.br(after)
    w.go_to(after)
    return merged(w, [(partial, partial_state), (end_of_rest, final_state)])


def restart_exits(loop: Loop) -> dict[Block, Block]:
    """Return the exits at which an iteration may restart: all lanes reach them, without effects before.

    Each is mapped to its successor inside the loop.
    """
    leaving = {source for source, _ in loop.exit_edges}
    latch = loop.known_latch
    path = blocks_of_all_lanes(loop)
    effects = {block for block in loop.blocks if any(map(_has_effect, block.instructions))}
    later = effects | blocks_after(loop, effects | leaving.difference(path))
    exits: dict[Block, Block] = {}
    for block in path:
        if block not in leaving:
            continue
        staying = [s for s in block.successors() if s in loop.blocks]
        if block is latch or block in later or len(block.successors()) != 2 or len(staying) != 1:
            break  # later exits would follow this one
        exits[block] = staying[0]
    return exits


def _has_effect(i: Instruction) -> bool:
    """Return whether running an instruction twice, with others in between, could be observed."""
    if i.opcode in ("store", "atomicrmw", "cmpxchg", "fence") or i.attributes.get("volatile"):
        return True
    return i.opcode == "call" and not (is_pure(i) or only_reads(i) or is_dropped(i))
