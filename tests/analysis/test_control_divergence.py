"""What a divergent branch affects, and what it costs to find out."""

from collections.abc import Callable

import pytest

from weft import ir
from weft.analysis.divergence import Divergence
from weft.analysis.lanes import lanes
from weft.analysis.rough_divergence import rough_divergence
from weft.analysis.shapes import Shapes, shapes
from weft.ir.loops import loop_forest

HEAD = """
declare i64 @_Z13get_global_idj(i32)
define void @k(i32 %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %x = trunc i64 %id to i32
  br label %top
top:
  br label %b0
"""


def early_returns(count: int) -> str:
    """A branch to the end of the kernel after the other."""
    branches = [
        f"b{i}:\n  %c{i} = icmp eq i32 %x, {i}\n  br i1 %c{i}, label %end, label %b{i + 1}\n"
        for i in range(count)
    ]
    return HEAD + "".join(branches) + f"b{count}:\n  br label %end\nend:\n  ret void\n}}\n"


def breaks(count: int) -> str:
    """A loop with as many exits."""
    text = early_returns(count).replace("top:\n", "top:\n  %k = phi i32 [ 0, %entry ], [ %more, %latch ]\n")
    return text.replace(
        f"b{count}:\n  br label %end\n",
        f"b{count}:\n  br label %latch\nlatch:\n  %more = add i32 %k, 1\n"
        "  %again = icmp slt i32 %more, %n\n  br i1 %again, label %top, label %end\n",
    )


@pytest.mark.parametrize("text", [early_returns, breaks])
@pytest.mark.parametrize("analysis", [shapes, rough_divergence])
def test_many_exits_take_linear_time(
    analysis: Callable[[ir.Function], Shapes | Divergence],
    text: Callable[[int], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    successors = ir.Block.successors
    calls = 0

    def counted(block: ir.Block) -> list[ir.Block]:
        nonlocal calls
        calls += 1
        return successors(block)

    monkeypatch.setattr(ir.Block, "successors", counted)
    costs = []
    for count in (50, 200):
        function = ir.parse(text(count)).function("k")
        calls = 0
        result = analysis(function)
        costs.append(calls)
        assert not result.runs_uniformly(function.blocks[-2])
    assert costs[1] < 6 * costs[0]


CONTINUE = """
define void @k(i32 %n) {
entry:
  br label %items
items:
  %x = phi i32 [ 0, %entry ], [ %x.next, %items.latch ]
  br label %loop
loop:
  %k = phi i32 [ 0, %items ], [ %k.next, %latch ]
  %u = icmp slt i32 %k, %n
  br i1 %u, label %inner, label %rest
inner:
  %c = icmp slt i32 %x, 3
  br i1 %c, label %latch, label %rest
rest:
  %q = icmp sgt i32 %k, 9
  br i1 %q, label %out, label %onward
onward:
  br label %latch
latch:
  %step = phi i32 [ 1, %inner ], [ 2, %onward ]
  %k.next = add i32 %k, %step
  br label %loop
out:
  br label %items.latch
items.latch:
  %x.next = add nuw nsw i32 %x, 1
  %more = icmp ult i32 %x.next, %n
  br i1 %more, label %items, label %end
end:
  ret void
}
"""


def test_lanes_that_continue_join_the_others_before_the_post_dominator() -> None:
    """Lanes come to %rest, by which all leave, in different iterations: they meet in the latch."""
    function = ir.parse(CONTINUE).function("k")
    forest = loop_forest(function)
    found = {i.name: i for i in function.instructions()}
    items, inner = forest.loops
    result = lanes(items, found["x"], forest)
    assert result.is_varying(found["step"]) and result.is_varying(found["k"])
    assert inner in result.divergent_loops
