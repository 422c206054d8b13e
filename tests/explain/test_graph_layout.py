"""The drawing of graphs: nothing overlaps, everything is connected, whatever the graph."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from weft.explain.layout import layout


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 25))
    node = st.integers(0, count - 1)
    sizes = [(draw(st.integers(30, 200)), draw(st.integers(20, 60))) for _ in range(count)]
    # A tree from the entry, so that most nodes can be reached, and any edges besides.
    edges = [(draw(st.integers(0, n - 1)), n) for n in range(1, count)]
    edges += draw(st.lists(st.tuples(node, node), max_size=20))
    return sizes, list(dict.fromkeys(edges))


@settings(max_examples=120, deadline=None)
@given(graphs())
def test_any_graph_is_drawn_readably(graph):
    sizes, edges = graph
    drawn = layout(sizes, edges)
    assert [(b.width, b.height) for b in drawn.boxes] == sizes
    for a, b in combinations(drawn.boxes, 2):
        apart_x = a.x + a.width < b.x or b.x + b.width < a.x
        apart_y = a.y + a.height < b.y or b.y + b.height < a.y
        assert apart_x or apart_y
    for (source, target), route in zip(edges, drawn.routes, strict=True):
        start, end = route.points[0], route.points[-1]
        s, t = drawn.boxes[source], drawn.boxes[target]
        assert s.x <= start[0] <= s.x + s.width and start[1] == s.y + s.height
        assert t.x <= end[0] <= t.x + t.width and end[1] == t.y
        if not route.back:
            heights = [y for _, y in route.points]
            assert heights == sorted(heights) and start[1] < end[1]
    points = [p for r in drawn.routes for p in r.points] + [
        (b.x + b.width, b.y + b.height) for b in drawn.boxes
    ]
    assert all(0 <= x <= drawn.width and 0 <= y <= drawn.height for x, y in points)


def test_chain_is_a_straight_line():
    drawn = layout([(100, 40), (60, 40), (140, 40)], [(0, 1), (1, 2)])
    assert len({b.x + b.width / 2 for b in drawn.boxes}) == 1


def test_back_edge_is_drawn_next_to_its_blocks():
    drawn = layout([(100, 40)] * 4, [(0, 1), (1, 2), (2, 1), (2, 3)])
    (back,) = [r for r in drawn.routes if r.back]
    beside = [x for x, _ in back.points[2:4]]
    assert beside[0] == beside[1]
    assert all(not b.x <= beside[0] <= b.x + b.width for b in drawn.boxes)


def test_branch_has_no_crossings():
    # Both arms have an arm of their own that joins the other arm's neighbour in order.
    edges = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6), (3, 7), (4, 7), (5, 7), (6, 7)]
    drawn = layout([(60, 30)] * 8, edges)
    order = sorted(range(3, 7), key=lambda n: drawn.boxes[n].x)
    assert {frozenset(order[:2]), frozenset(order[2:])} == {frozenset((3, 4)), frozenset((5, 6))}


def test_empty_graph_is_drawn():
    assert layout([], []).boxes == ()
