"""Afterwards LLVM's loop vectorizer leaves the kernel's own loops alone.

Inside a work-item loop the kernel's loops are Weft's to vectorize, across work-items. LLVM would try them
one work-item at a time, which is seldom faster; and its vectorizer holds self-checks that end the process
on unusual loops, such as short reductions by fmin.
"""

from weft.ir import Function
from weft.ir.loops import loop_forest

from .work_item_loops import is_any_work_item_loop

DISABLED = '!{!"llvm.loop.vectorize.enable", i1 false}'


def settle_inner_loops(function: Function) -> None:
    """Marks every loop of a work-group function that is not a work-item loop."""
    module = function.module
    assert module is not None
    note = ""
    for loop in loop_forest(function).loops:
        for latch in loop.latches:
            if is_any_work_item_loop(latch, module):
                continue
            note = note or module.add_metadata(DISABLED)
            branch = latch.terminator
            node = branch.metadata.get("llvm.loop")
            facts = []
            if node is not None:
                text = module.metadata[int(node[1:])]
                facts = [f for f in text[text.index("{") + 1 : -1].split(", ") if f and f != node]
            body = ", ".join(["{self}", *facts, note])
            branch.metadata["llvm.loop"] = module.add_metadata(f"distinct !{{{body}}}")
