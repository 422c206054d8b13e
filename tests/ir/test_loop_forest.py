"""The loop forest against the definition of natural loops, on random control flow graphs."""

from hypothesis import example, given, settings
from ir_graphs import Edges, dominates, edge_lists, function_of, reachable

from weft.ir.dominators import post_dominators, post_dominators_within
from weft.ir.loops import Loop, loop_forest, loop_post_dominators


def _natural_loops(edges: Edges) -> dict[int, set[int]]:
    """Header -> blocks, straight from the definition."""
    live = reachable(edges, 0)
    found: dict[int, set[int]] = {}
    for latch in live:
        for header in edges[latch]:
            if dominates(edges, header, latch):
                body = found.setdefault(header, {header})
                body |= {b for b in live - {header} if latch in reachable(edges, b, without=header)}
    return found


@given(edge_lists())
@settings(max_examples=400, deadline=None)
def test_loops_are_what_the_definition_says(edges: Edges) -> None:
    fn = function_of(edges)
    forest = loop_forest(fn)
    expected = _natural_loops(edges)
    found = {fn.blocks.index(loop.header): {fn.blocks.index(b) for b in loop.blocks} for loop in forest}
    assert found == expected
    for block in fn.blocks:
        holding = [loop for loop in forest if block in loop]
        innermost = min(holding, key=lambda loop: len(loop.blocks), default=None)
        assert forest.loop_of(block) is innermost
        assert forest.depth(block) == len(holding)
        assert forest.is_header(block) == (fn.blocks.index(block) in expected)


@given(edge_lists())
@settings(max_examples=300, deadline=None)
def test_nesting_latches_and_exits_follow_from_the_blocks(edges: Edges) -> None:
    fn = function_of(edges)
    forest = loop_forest(fn)
    for loop in forest:
        inside = loop.blocks
        assert next(iter(inside)) is loop.header
        assert set(loop.latches) == {b for b in inside if loop.header in b.successors()}
        assert set(loop.exiting) == {b for b in inside if any(s not in inside for s in b.successors())}
        assert set(loop.exits) == {s for b in inside for s in b.successors() if s not in inside}
        around = [other for other in forest if other is not loop and inside <= other.blocks]
        parent = min(around, key=lambda other: len(other.blocks), default=None)
        assert loop.parent is parent
        assert loop.depth == len(around) + 1
        if parent is not None:
            assert loop in parent.children
    assert forest.roots == [loop for loop in forest if loop.parent is None]


@given(edge_lists())
@example([[4], [2, 4, 5], [1], [], [2], [1]])
@settings(max_examples=400, deadline=None)
def test_post_dominators_of_a_loop_are_those_of_its_function(edges: Edges) -> None:
    fn = function_of(edges)
    whole = post_dominators(fn)
    # Where nothing leads to the end of the function, some block of the endless loop stands for it.
    ending = {b for k, b in enumerate(fn.blocks) if any(not edges[r] for r in reachable(edges, k))}
    for loop in loop_forest(fn):
        tree = loop_post_dominators(loop)
        for block in (loop.blocks & ending) - {loop.latch}:
            assert tree.idom(block) is whole.idom(block)


def test_an_iteration_ends_where_the_loop_is_left_or_begins_again() -> None:
    # 1 -> 2 | 3, 2 -> 4, 3 -> 4 | 5, 4 -> 1: the loop is left at 3, and 4 goes back
    fn = function_of([[1], [2, 3], [4], [4, 5], [1], []])
    (loop,) = loop_forest(fn)
    tree = post_dominators_within(loop.blocks)
    assert tree.idom(fn.blocks[2]) is fn.blocks[4]
    assert tree.idom(fn.blocks[3]) is None and tree.idom(fn.blocks[4]) is None


@given(edge_lists())
@settings(max_examples=300, deadline=None)
def test_what_is_cyclic_without_back_edges_is_reported_as_irreducible(edges: Edges) -> None:
    fn = function_of(edges)
    forest = loop_forest(fn)
    live = reachable(edges, 0)
    forward = [[s for s in edges[b] if b in live and not dominates(edges, s, b)] for b in range(len(edges))]
    reach = {b: set().union(*(reachable(forward, s) for s in forward[b])) for b in live}
    cyclic = {b for b in live if b in reach[b]}
    assert {fn.blocks[b] for b in cyclic} == set().union(*forest.irreducible)
    for cycle in forest.irreducible:
        numbers = {fn.blocks.index(b) for b in cycle}
        assert all(numbers <= reach[b] for b in numbers)


def _only(loops: list[Loop]) -> Loop:
    (loop,) = loops
    return loop


def test_preheader_is_a_block_that_only_enters_the_loop() -> None:
    plain = loop_forest(function_of([[1], [1, 2], []]))
    assert _only(plain.loops).preheader is not None
    guarded = loop_forest(function_of([[1, 2], [1, 2], []]))
    assert _only(guarded.loops).preheader is None
    twice = loop_forest(function_of([[1, 2], [3], [3], [3, 4], []]))
    assert _only(twice.loops).preheader is None
    assert len(_only(twice.loops).entering) == 2


def test_loops_that_share_a_header_are_one_loop() -> None:
    fn = function_of([[1], [2, 3], [1], [1, 4], []])
    loop = _only(loop_forest(fn).loops)
    assert len(loop.latches) == 2 and loop.latch is None


def test_nested_loops_hang_below_their_parents() -> None:
    fn = function_of([[1], [2], [3], [3, 4], [2, 5], [1, 6], []])
    outer, middle, inner = loop_forest(fn).loops
    assert (outer.depth, middle.depth, inner.depth) == (1, 2, 3)
    assert inner.parent is middle and middle.children == [inner] and outer.children == [middle]


def test_a_cycle_with_two_entries_is_irreducible() -> None:
    fn = function_of([[1, 2], [2, 3], [1], []])
    forest = loop_forest(fn)
    assert not forest.loops
    assert forest.irreducible == [{fn.blocks[1], fn.blocks[2]}]
