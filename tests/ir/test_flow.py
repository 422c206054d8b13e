"""Dominators and loops are kept while the control flow stays, and found anew however it changes."""

from collections.abc import Callable

import pytest

from weft import ir
from weft.ir.dominators import dominators, post_dominators, reverse_post_order
from weft.ir.function import Function
from weft.ir.instruction import Instruction
from weft.ir.loops import loop_forest
from weft.ir.types import VOID

TEXT = """
define void @f(i1 %c, i1 %d) {
entry:
  br label %outer
outer:
  br i1 %c, label %inner, label %exit
inner:
  %x = add i32 1, 2
  br i1 %d, label %inner, label %latch
latch:
  br label %outer
exit:
  ret void
}
"""


def _described(fn: Function) -> tuple[list[object], ...]:
    tree, post, forest = dominators(fn), post_dominators(fn), loop_forest(fn)
    order = reverse_post_order(fn)
    return (
        [b.name for b in order],
        [i.name if (i := tree.idom(b)) is not None else None for b in order],
        [i.name if (i := post.idom(b)) is not None else None for b in order],
        [(loop.header.name, [b.name for b in loop.blocks], loop.depth) for loop in forest],
    )


def _described_anew(fn: Function) -> tuple[list[object], ...]:
    assert fn.module is not None and fn.name is not None
    return _described(ir.parse(ir.print_module(fn.module)).function(fn.name))


def _block(fn: Function, name: str) -> ir.Block:
    return next(b for b in fn.blocks if b.name == name)


def _retarget(fn: Function) -> None:
    _block(fn, "inner").terminator.set_operand(1, _block(fn, "latch"))


def _replace_uses(fn: Function) -> None:
    _block(fn, "inner").replace_all_uses_with(_block(fn, "latch"))


def _replace_terminator(fn: Function) -> None:
    block = _block(fn, "latch")
    block.terminator.erase()
    block.append(Instruction("br", VOID, [_block(fn, "exit")]))


def _by_hand(fn: Function) -> None:
    block = _block(fn, "latch")
    block.instructions[-1].set_operands(())
    block.instructions[-1:] = [Instruction("ret", VOID, [])]


def _split(fn: Function) -> None:
    _block(fn, "inner").split(1, "rest")


def _remove(fn: Function) -> None:
    _block(fn, "outer").terminator.set_operands([_block(fn, "exit")])
    for name in ("inner", "latch"):
        block = _block(fn, name)
        for instruction in block.instructions:
            instruction.set_operands(())
        fn.remove_block(block)


def _reorder(fn: Function) -> None:
    fn.blocks[1:] = reversed(fn.blocks[1:])


@pytest.mark.parametrize(
    "change", [_retarget, _replace_uses, _replace_terminator, _by_hand, _split, _remove, _reorder]
)
def test_every_change_of_the_control_flow_is_seen(change: Callable[[Function], None]) -> None:
    fn = ir.parse(TEXT).function("f")
    before = _described(fn)
    change(fn)
    assert _described(fn) == _described_anew(fn)
    assert change is _reorder or _described(fn) != before


def test_what_was_found_is_kept_until_then() -> None:
    fn = ir.parse(TEXT).function("f")
    tree, post, forest = dominators(fn), post_dominators(fn), loop_forest(fn)
    inner = _block(fn, "inner")
    inner.instructions[0].erase()
    assert dominators(fn) is tree and post_dominators(fn) is post and loop_forest(fn) is forest
    reverse_post_order(fn).clear()
    assert reverse_post_order(fn)[0].name == "entry"
    inner.split(0)
    assert dominators(fn) is not tree and loop_forest(fn) is not forest
