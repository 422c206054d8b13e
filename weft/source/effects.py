"""Side effects of expressions and statements."""

from collections.abc import Iterator

from weft.source.builtin_calls import BARRIERS, GROUP_COPIES, reads_memory
from weft.source.model import Node
from weft.source.shapes import ASSIGNMENTS, STEPS, Shapes, arguments, literal, variable_of, without_casts
from weft.source.types import INTEGERS


def target_of(node: Node) -> Node | None:
    """Return the left side of an assignment, or None for other statements."""
    assigns = node.kind == "COMPOUND_ASSIGNMENT_OPERATOR" or (
        node.kind == "BINARY_OPERATOR" and node.op in ASSIGNMENTS
    )
    steps = node.kind == "UNARY_OPERATOR" and node.op in STEPS
    return node.children[0] if assigns or steps else None


def changes(root: Node) -> Iterator[tuple[Node, str]]:
    """Yield the private variables that may change below a node by key, with the node that changes them.

    A call may write to an address or array that is passed to it; `vloadn` only reads.
    """
    for node in root.walk():
        target = target_of(node)
        places = [target] if target is not None else []
        if node.kind == "CALL_EXPR" and not reads_memory(node.name):
            for argument in arguments(node):
                inner = without_casts(argument)
                if inner.kind == "UNARY_OPERATOR" and inner.op == "&":
                    places.append(inner.children[0])
                elif inner.type.kind == "array":
                    places.append(inner)
        for place in places:
            key = variable_of(place)
            if key is not None:
                yield node, key


def has_effects(root: Node, shapes: Shapes) -> bool:
    """Return whether evaluating an expression has side effects."""
    for node in root.walk():
        if node.kind == "COMPOUND_ASSIGNMENT_OPERATOR" or node.op == "=" or node.op in STEPS:
            return True
        if node.kind == "CALL_EXPR":
            if shapes.has_effects(node.name):
                return True
            if reads_memory(node.name):
                continue
            for argument in arguments(node):
                inner = without_casts(argument)
                if inner.op == "&" and inner.kind == "UNARY_OPERATOR":
                    return True
    return False


def is_safe(root: Node, shapes: Shapes) -> bool:
    """Return whether lanes may speculatively evaluate an expression: it has no access, no division and no
    call of a function of the program."""
    if has_effects(root, shapes):
        return False
    for node in root.walk():
        if node.kind == "ARRAY_SUBSCRIPT_EXPR" or (node.kind == "UNARY_OPERATOR" and node.op == "*"):
            return False
        if node.kind == "MEMBER_REF_EXPR" and node.children and node.children[0].type.kind == "pointer":
            return False
        divides = node.kind == "BINARY_OPERATOR" and node.op in ("/", "%") and node.type.lane in INTEGERS
        if divides and not literal(node.children[1]):
            return False
        if node.kind == "CALL_EXPR" and (node.name in shapes.source.functions or reads_memory(node.name)):
            return False
    return True


def writes_memory(root: Node, shapes: Shapes) -> bool:
    """Return whether a statement may write memory that other work-items or the host can access."""
    for node in root.walk():
        target = target_of(node)
        if target is not None and variable_of(target) is None:
            return True
        if node.kind == "CALL_EXPR":
            if shapes.has_effects(node.name) or node.name in BARRIERS | GROUP_COPIES:
                return True
            pointers = [n for n in arguments(node) if n.type.kind == "pointer"]
            if node.name in shapes.source.functions and pointers:
                return True
    return False
