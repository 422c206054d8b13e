"""A loop over a part of the work-items gets a twin that runs them all, and counts between constants.

    for (y …)                                   if (end - first == 64)
      for (x = first; x < end; x++) body          for (y …) for (x = 0; x < 64; x++) body
                                                else
                                                  for (y …) for (x = first; x < end; x++) body

The choice is made in front of all work-item loops for which the bounds are the same.
"""

from weft.ir import Block, Function, Instruction, Module, Value
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap, clone_blocks
from weft.ir.loops import Loop
from weft.transform.workgroup.work_item_loops import is_any_work_item_loop

from .vectorize_loop import counted


def add_whole_range(function: Function, loop: Loop, whole: tuple[Value, Value], largest: int) -> None:
    """Adds the twin of a loop if what is copied has at most `largest` instructions."""
    module, latch = function.module, loop.latch
    assert module is not None and latch is not None
    counter, high = counted(loop)
    assert loop.preheader is not None
    low = counter.incoming_from(loop.preheader)
    nest = _nest(loop, (low, high), module)
    if nest.preheader is None or sum(len(b.instructions) for b in nest.blocks) > largest:
        return
    pre, name = nest.preheader, nest.header.name or ""
    values: ValueMap = {}
    clone_blocks(list(nest.blocks), function, values, ".part")
    for block in nest.blocks:
        name_loop_anew(values[block], module)  # type: ignore[arg-type]
    all_of_it, part = (function.add_block(f"{name}.{kind}.pre") for kind in ("all", "part"))
    b = Builder(pre, pre.terminator)
    is_whole = b.icmp("eq", b.sub(high, low), b.sub(whole[1], whole[0]), "all")
    pre.terminator.erase()
    Builder(pre).cond_br(is_whole, all_of_it, part)
    for way, header in ((all_of_it, nest.header), (part, values[nest.header])):
        assert isinstance(header, Block)
        Builder(way).br(header)
        for phi in header.phis():
            phi.replace_operand(pre, way)
    entry = all_of_it if nest is loop else loop.preheader
    counter.remove_incoming(entry)
    counter.add_incoming(whole[0], entry)
    compare = latch.terminator.operands[0]
    assert isinstance(compare, Instruction)
    compare.set_operand(1, whole[1])


def is_part(loop: Loop) -> bool:
    """Whether a loop is for the work-groups at the edge, beside one for all others."""
    return ".part" in (loop.header.name or "")


def _nest(loop: Loop, bounds: tuple[Value, Value], module: Module) -> Loop:
    """The outermost work-item loop around a loop whose bounds are the same for all its iterations."""
    nest = loop
    while (around := nest.parent) is not None and around.latch is not None:
        inside = any(isinstance(v, Instruction) and v.block in around.blocks for v in bounds)
        if inside or around.preheader is None or not is_any_work_item_loop(around.latch, module):
            break
        nest = around
    return nest


def name_loop_anew(latch: Block, module: Module) -> None:
    """Makes a copy of a loop another loop for LLVM; `latch` is its last block, or any other."""
    metadata = latch.terminator.metadata
    node = metadata.get("llvm.loop")
    if node is not None:
        metadata["llvm.loop"] = module.add_metadata(module.metadata[int(node[1:])].replace(node, "{self}", 1))
