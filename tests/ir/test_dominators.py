"""Dominators and post-dominators against their definitions, on random control flow graphs."""

from hypothesis import given, settings
from ir_graphs import Edges, dominates, edge_lists, function_of, reachable

from weft import ir
from weft.ir.dominators import dominators, post_dominators, reverse_post_order


@given(edge_lists())
@settings(max_examples=300, deadline=None)
def test_dominance_is_what_the_definition_says(edges: Edges) -> None:
    fn = function_of(edges)
    tree = dominators(fn)
    for a, block_a in enumerate(fn.blocks):
        for b, block_b in enumerate(fn.blocks):
            assert tree.dominates(block_a, block_b) == dominates(edges, a, b), (a, b)


@given(edge_lists())
@settings(max_examples=200, deadline=None)
def test_tree_children_and_depth_agree_with_immediate_dominators(edges: Edges) -> None:
    fn = function_of(edges)
    tree = dominators(fn)
    assert tree.root is fn.entry and tree.idom(fn.entry) is None
    live = reachable(edges, 0)
    assert {b for b in fn.blocks if b in tree} == {fn.blocks[i] for i in live}
    for block in tree.order[1:]:
        above = tree.idom(block)
        assert above is not None
        assert block in tree.children(above)
        assert tree.depth(block) == tree.depth(above) + 1
        others = [b for b in tree.order if b is not block and tree.dominates(b, block)]
        assert all(tree.dominates(b, above) for b in others) and above in others


@given(edge_lists())
@settings(max_examples=300, deadline=None)
def test_post_dominance_is_what_the_definition_says_where_every_block_can_end(edges: Edges) -> None:
    live = reachable(edges, 0)
    ends = {i for i in live if not edges[i]}
    endless = {i for i in live if not reachable(edges, i) & ends}
    fn = function_of(edges)
    tree = post_dominators(fn)
    assert {b for b in fn.blocks if b in tree} == {fn.blocks[i] for i in live}
    if endless:
        return
    for a in live:
        for b in live:
            expected = not reachable(edges, b, without=a) & ends
            assert tree.dominates(fn.blocks[a], fn.blocks[b]) == expected, (a, b)
        above = tree.idom(fn.blocks[a])
        if above is not None:
            assert fn.blocks[a] in tree.children(above)
        else:
            assert fn.blocks[a] in tree.children(None)


@given(edge_lists())
@settings(max_examples=200, deadline=None)
def test_reverse_post_order_puts_dominators_first(edges: Edges) -> None:
    fn = function_of(edges)
    order = reverse_post_order(fn)
    tree = dominators(fn)
    assert order == tree.order
    for block in order[1:]:
        above = tree.idom(block)
        assert above is not None and order.index(above) < order.index(block)


def test_a_loop_that_never_ends_post_dominates_what_leads_into_it() -> None:
    fn = function_of([[1], [2], [1]])
    entry, head, latch = fn.blocks
    tree = post_dominators(fn)
    assert tree.idom(latch) is None
    assert tree.idom(head) is latch
    assert tree.idom(entry) is head


def test_endless_loop_next_to_a_return_leaves_the_branch_undecided() -> None:
    fn = function_of([[1, 2], [1], []])
    tree = post_dominators(fn)
    assert all(tree.idom(b) is None for b in fn.blocks)


def test_uses_are_dominated_by_definitions_in_front_of_them_or_by_the_incoming_block() -> None:
    module = ir.parse(
        """define i32 @f(i1 %c, i32 %a) {
entry:
  %x = add i32 %a, 1
  br i1 %c, label %then, label %join

then:
  %y = add i32 %x, 2
  br label %join

join:
  %p = phi i32 [ %y, %then ], [ %x, %entry ]
  %z = add i32 %p, %x
  ret i32 %z
}
"""
    )
    fn = module.function("f")
    tree = dominators(fn)
    x, y, p, z = (next(i for i in fn.instructions() if i.name == n) for n in "xypz")
    assert tree.dominates_use(y, p, 0) and tree.dominates_use(x, p, 2)
    assert not tree.dominates_use(y, p, 2)
    assert tree.dominates_use(p, z, 0) and not tree.dominates_use(z, z, 0)
    assert not tree.dominates_use(y, z, 0)
    assert tree.dominates_use(fn.arguments[1], x, 0)


def test_deep_graphs_do_not_exhaust_the_stack() -> None:
    fn = function_of([[i + 1] for i in range(5000)] + [[]])
    assert dominators(fn).depth(fn.blocks[-1]) == 5000
    assert post_dominators(fn).depth(fn.blocks[0]) == 5001
