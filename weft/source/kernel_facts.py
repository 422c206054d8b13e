"""Facts about kernels and functions, collected before rewriting."""

from collections.abc import Callable

from weft.source.builtin_calls import (
    BARRIERS,
    GROUP_COPIES,
    LANE_IDS,
    LINEAR_IDS,
    OF_GROUPS,
    SCALED,
    has_side_effects,
    is_collective,
)
from weft.source.model import Function, Node, Source
from weft.source.shapes import Shapes, arguments, literal, variable_of, without_casts

LOCAL_SPACE = 3


def check_names(source: Source, kernel: Function) -> None:
    """Refuse variables that hide built-in functions which the rewritten kernel calls."""
    for node in kernel.node.walk():
        if node.kind in ("VAR_DECL", "PARM_DECL"):
            needed = node.name in ("all", "any", "select", "get_global_id", "get_local_id")
            if needed or node.name.startswith(("vload", "vstore", "convert_")):
                reason = f"{node.name} hides the built-in function {node.name}, which is required; rename it"
                raise source.refused(node, reason)


def check_pointers(source: Source, kernel: Function) -> None:
    """Refuse addresses of private variables other than as arguments: their targets would be unknown."""
    allowed: set[Node] = set()
    for node in kernel.body.walk():
        if node.kind == "CALL_EXPR":
            allowed.update(without_casts(n) for n in arguments(node))
            if node.type.kind == "pointer" and node.type.space == 0:
                raise source.refused(node, f"{node.name} returns a pointer that may lead to private memory")
        elif node.kind == "ARRAY_SUBSCRIPT_EXPR":
            allowed.add(without_casts(node.children[0]))
        elif node.kind == "VAR_DECL" and node.type.kind == "pointer" and node.type.space == 0:
            raise source.refused(node, f"{node.name} points to private memory")
    for node in kernel.body.walk():
        takes = node.kind == "UNARY_OPERATOR" and node.op == "&"
        place = node.children[0] if takes else node
        whole = node.kind in ("DECL_REF_EXPR", "MEMBER_REF_EXPR") and node.type.kind == "array"
        if (takes or whole) and node not in allowed and variable_of(place) is not None:
            raise source.refused(node, f"the address of the private variable {source.of(place)} escapes")


def functions_with_ids(source: Source) -> frozenset[str]:
    """Return the functions that use ids which merging changes, or that contain barriers."""

    def of_lanes(node: Node) -> bool:
        if node.name in LANE_IDS | SCALED:
            return literal(arguments(node)[0]) in (None, 0)
        return node.name in LINEAR_IDS | BARRIERS | GROUP_COPIES or is_collective(node.name)

    return _closure(source, of_lanes)


def functions_with_effects(source: Source) -> frozenset[str]:
    """Return the functions that each work-item must call, whatever the arguments."""
    return _closure(source, lambda node: has_side_effects(node.name))


def _closure(source: Source, start: Callable[[Node], bool]) -> frozenset[str]:
    calls = {f.name: [n for n in f.body.walk() if n.kind == "CALL_EXPR"] for f in source.functions.values()}
    closure = {name for name, nodes in calls.items() if any(start(n) for n in nodes)}
    while True:
        more = {n for n, nodes in calls.items() if any(c.name in closure for c in nodes)} - closure
        if not more:
            return frozenset(closure)
        closure |= more


def knows_groups(kernel: Function) -> bool:
    """Return whether a kernel depends on its work-group, which must then not change."""
    if kernel.sizes or any(
        p.type.kind == "pointer" and p.type.space == LOCAL_SPACE for p in kernel.parameters
    ):
        return True
    for node in kernel.body.walk():
        if node.kind == "CALL_EXPR" and node.name in OF_GROUPS | BARRIERS | GROUP_COPIES:
            return True
        if node.kind == "VAR_DECL" and node.type.space == LOCAL_SPACE and node.type.kind == "array":
            return True
        if node.kind == "VAR_DECL" and "__local " in node.type.spelling:
            return True
    return False


def variables_in_arrays(kernel: Function, shapes: Shapes) -> set[str]:
    """Return the varying variables that have no vector type."""
    result: set[str] = set()
    declared = {n.key: n for n in kernel.body.walk() if n.kind == "VAR_DECL"}
    declared.update({p.key: p for p in kernel.parameters})
    for key, node in declared.items():
        if shapes.variables.get(key, 0) is not None:
            continue
        if node.type.kind == "array":
            if not node.type.element or not node.type.count:
                result.add(key)
        elif not node.type.lane:
            result.add(key)
    # Arrays of vectors must be accessed element by element.
    elements = set()
    for node in kernel.body.walk():
        if node.kind == "ARRAY_SUBSCRIPT_EXPR":
            elements.add(without_casts(node.children[0]))
    for node in kernel.body.walk():
        whole = node.kind == "DECL_REF_EXPR" and node.type.kind == "array" and node not in elements
        if whole and node.key in declared and shapes.variables.get(node.key, 0) is None:
            result.add(node.key)
        # An element of a vector has no address.
        if node.kind == "UNARY_OPERATOR" and node.op == "&":
            variable = variable_of(node.children[0]) or ""
            array = variable in declared and declared[variable].type.kind == "array"
            if array and shapes.variables.get(variable, 0) is None:
                result.add(variable)
    return result


def names_in(source: Source) -> set[str]:
    """Return every word of the program, none of which may be used as a new name."""
    word, words = "", set()
    for character in source.text + " ":
        if character.isalnum() or character == "_":
            word += character
        elif word:
            words.add(word)
            word = ""
    return words


def step_of(source: Source, body: Node) -> str:
    """Return the indentation of a block."""
    if body.children:
        outer, inner = source.indent(body.end - 1), source.indent(body.children[0].start)
        if inner.startswith(outer) and len(inner) > len(outer):
            return inner[len(outer) :]
    return "    "
