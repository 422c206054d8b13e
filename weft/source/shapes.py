"""Shapes of variables and expressions across lanes, on the source tree.

A shape is a number of elements per lane, or None. 0: all lanes have the same value (uniform). c: lane k has
the value of lane 0 plus k * c (strided). None: anything (varying). A lane is a work-item (eV) or an iteration
(iV).

A variable has one shape: the join over its assignments, computed as a fixpoint. A variable assigned in
divergent code is varying. Strided variables stay scalars in the rewritten source, with the value of lane 0,
so strides survive only where machine arithmetic preserves them: additions and multiplications by constants in
32 and 64 bits, and conversions except from `uint` to 64 bits, which could wrap between two lanes. An index
may be a strided `uint`: to wrap within a block it would have to address element 2**32 - 1.
"""

from weft.dataclasses import dataclass, field
from weft.source.builtin_calls import BARRIERS, FENCES, GROUP_COPIES, LANE_IDS, has_side_effects
from weft.source.model import Node, Source

Shape = int | None
VARYING: Shape = None
UNIFORM: Shape = 0

_WIDE = frozenset(("int", "uint", "long", "ulong"))
ASSIGNMENTS = frozenset(("=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|="))
STEPS = frozenset(("pre++", "pre--", "post++", "post--"))
# Address spaces (local, constant) of variables that are not private to a work-item.
SHARED = (2, 3)
LOOPS = frozenset(("FOR_STMT", "WHILE_STMT", "DO_STMT"))


@dataclass(eq=False)
class Control:
    """The position of the walk over statements."""

    divergent: bool
    loop: Node | None = None
    # Whether control diverged between the loop and this position.
    diverged: bool = False
    switch: bool = False


@dataclass(eq=False)
class Shapes:
    """The shapes of the variables of `body`. `ids`: lanes are work-items; `seeds`: given shapes."""

    source: Source
    body: Node
    ids: bool
    seeds: dict[str, Shape] = field(default_factory=dict)
    forced: frozenset[str] = frozenset()
    # Functions of the program that each lane must call, whatever the arguments.
    effects: frozenset[str] = frozenset()
    variables: dict[str, Shape] = field(default_factory=dict)
    divergent_loops: set[Node] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.variables.update(self.seeds)
        while True:
            before = dict(self.variables), len(self.divergent_loops)
            self._walk(self.body, Control(False))
            if before == (self.variables, len(self.divergent_loops)):
                return

    # Expressions

    def of(self, node: Node) -> Shape:
        """Return the shape of the value of an expression."""
        kind, below = node.kind, node.children
        match kind:
            case "DECL_REF_EXPR":
                return self.variables.get(node.key, UNIFORM)
            case "PAREN_EXPR":
                return self.of(below[0])
            case "UNEXPOSED_EXPR" | "CSTYLE_CAST_EXPR" if below:
                return self._conversion(node, below[-1])
            case "BINARY_OPERATOR":
                return self._binary(node, below[0], below[1])
            case "UNARY_OPERATOR":
                return self._unary(node, below[0])
            case "ARRAY_SUBSCRIPT_EXPR":
                if self.base(below[0]) == 0 and self.of(below[1]) == 0:
                    return self._content(below[0])
                return VARYING
            case "CALL_EXPR":
                return self._call(node)
            case "COMPOUND_ASSIGNMENT_OPERATOR":
                return VARYING
            case "DECL_STMT" | "VAR_DECL" | "TYPE_REF":
                return UNIFORM
        # A condition counts as an operand; literals and the like have no operands.
        return UNIFORM if all(self.of(n) == 0 for n in below) else VARYING

    def base(self, node: Node) -> Shape:
        """Return the shape of the address that an array or pointer expression denotes, in elements."""
        inner = without_casts(node)
        if inner.type.kind == "array":
            match inner.kind:
                case "DECL_REF_EXPR":
                    return UNIFORM  # each lane has its own copy at the same offset
                case "ARRAY_SUBSCRIPT_EXPR":
                    below = inner.children
                    return UNIFORM if self.base(below[0]) == 0 and self.of(below[1]) == 0 else VARYING
                case "MEMBER_REF_EXPR":
                    return UNIFORM if inner.children and self.base(inner.children[0]) == 0 else VARYING
            return VARYING
        if inner.type.kind == "record":
            match inner.kind:
                case "ARRAY_SUBSCRIPT_EXPR":
                    below = inner.children
                    return UNIFORM if self.base(below[0]) == 0 and self.of(below[1]) == 0 else VARYING
                case "DECL_REF_EXPR":
                    return UNIFORM
        return self.of(inner)

    def address(self, node: Node) -> Shape:
        """Return the shape of the address of a subscript or `*` expression."""
        if node.kind == "ARRAY_SUBSCRIPT_EXPR":
            base, index = self.base(node.children[0]), self.of(node.children[1])
            return None if base is None or index is None else base + index
        return self.of(node.children[0])

    def _content(self, base: Node) -> Shape:
        """Return the shape of an element of an array; private arrays have a copy per lane."""
        key = variable_of(base)
        return UNIFORM if key is None or self.variables.get(key, UNIFORM) == 0 else VARYING

    def _conversion(self, node: Node, below: Node) -> Shape:
        shape = self.of(below)
        if shape is None or shape == 0:
            return shape
        if is_swizzle(node):
            return VARYING
        if node.type.kind == "pointer":
            same = below.type.kind in ("pointer", "array") and node.type.element == below.type.element
            return shape if same and node.type.element else VARYING
        to, of = node.type.lane, below.type.lane
        if to not in _WIDE or of not in _WIDE or (of == "uint" and to in ("long", "ulong")):
            return VARYING
        return shape

    def _binary(self, node: Node, left: Node, right: Node) -> Shape:
        a, b = self.of(left), self.of(right)
        if node.op in ASSIGNMENTS:
            return UNIFORM if a == 0 and b == 0 else VARYING
        if a is None or b is None:
            return VARYING
        if a == 0 and b == 0:
            return UNIFORM
        pointer = node.type.kind == "pointer" and bool(node.type.element)
        if not pointer and node.type.lane not in _WIDE:
            return VARYING
        if pointer and any(
            n.type.kind not in ("pointer", "array") and n.type.lane == "uint" for n in (left, right)
        ):
            return VARYING
        match node.op:
            case "+":
                return a + b
            case "-" if not (pointer and left.type.kind == right.type.kind):
                return a - b
            case "*":
                factor = literal(left) if a == 0 else literal(right) if b == 0 else None
                return None if factor is None else (a or b) * factor
            case "<<":
                by = literal(right)
                return a << by if by is not None and 0 <= by < 16 else VARYING
        return VARYING

    def _unary(self, node: Node, below: Node) -> Shape:
        if node.op in STEPS:
            return UNIFORM if self.of(below) == 0 else VARYING
        if node.op == "*":
            return UNIFORM if self.of(below) == 0 else VARYING
        if node.op == "&":
            inner = without_casts(below)
            key = variable_of(inner)
            if key is not None and self.variables.get(key, UNIFORM) != 0:
                return VARYING
            if inner.kind == "ARRAY_SUBSCRIPT_EXPR":
                return self.address(inner)
            return UNIFORM if self.of(inner) == 0 else VARYING
        shape = self.of(below)
        if shape is None or shape == 0:
            return shape
        if node.type.lane in _WIDE and node.op in ("-", "+"):
            return -shape if node.op == "-" else shape
        return VARYING

    def _call(self, node: Node) -> Shape:
        name = node.name
        if self.ids and name in LANE_IDS and literal(node.children[1]) == 0:
            return 1
        if self.has_effects(name):
            return VARYING
        return UNIFORM if all(self.of(n) == 0 for n in arguments(node)) else VARYING

    def has_effects(self, name: str) -> bool:
        """Return whether each lane must call a function."""
        return has_side_effects(name) or name in self.effects

    # Statements

    def _walk(self, node: Node, at: Control) -> None:
        kind = node.kind
        if kind == "DECL_STMT":
            for declared in node.children:
                if declared.kind == "VAR_DECL":
                    self._declare(declared, at)
        elif kind == "COMPOUND_STMT":
            for below in node.children:
                self._walk(below, at)
        elif kind == "IF_STMT":
            condition, *arms = node.children
            self._expression(condition, at)
            differs = self.of(condition) != 0
            for arm in arms:
                self._walk(arm, Control(at.divergent or differs, at.loop, at.diverged or differs, at.switch))
        elif kind == "SWITCH_STMT":
            condition, body = node.children[0], node.children[-1]
            self._expression(condition, at)
            differs = self.of(condition) != 0
            self._walk(body, Control(at.divergent or differs, at.loop, at.diverged or differs, True))
        elif kind in LOOPS:
            self._loop(node, at)
        elif kind in ("CASE_STMT", "DEFAULT_STMT"):
            self._walk(node.children[-1], at)
        elif kind in ("BREAK_STMT", "CONTINUE_STMT", "RETURN_STMT"):
            leaves = not (kind == "BREAK_STMT" and at.switch)
            if leaves and at.loop is not None and at.diverged:
                self.divergent_loops.add(at.loop)
            for below in node.children:
                self._expression(below, at)
        else:
            self._expression(node, at)

    def _loop(self, node: Node, at: Control) -> None:
        header, body = loop_parts(node)
        conditions = [n for n in (condition_of(node),) if n is not None]
        if any(self.of(n) != 0 for n in conditions):
            self.divergent_loops.add(node)
        divergent = at.divergent or node in self.divergent_loops
        inner = Control(divergent, node, False)
        for part in header:
            self._walk(part, inner)
        self._walk(body, inner)
        if node in self.divergent_loops and at.loop is not None and _returns(node):
            self.divergent_loops.add(at.loop)

    def _declare(self, node: Node, at: Control) -> None:
        if node.type.kind != "pointer" and node.type.space in SHARED:
            return
        if node.type.kind == "array":
            values = [n for n in node.children if n.kind == "INIT_LIST_EXPR"]
            different = any(self.of(n) != 0 for n in values) or (at.divergent and bool(values))
            self._assign(node.key, VARYING if different else UNIFORM, node, at)
            return
        # Parts of the type (TYPE_REF, sizes) precede the value.
        value = initializer(node)
        if value is not None:
            self._expression(value, at)
            self._assign(node.key, self.of(value), node, at)

    def _expression(self, node: Node, at: Control) -> None:
        for inner in node.walk():
            if inner.kind == "BINARY_OPERATOR" and inner.op == "=":
                self._store(inner.children[0], self.of(inner.children[1]), at, nested=inner is not node)
            elif inner.kind == "COMPOUND_ASSIGNMENT_OPERATOR":
                key = variable_of(inner.children[0])
                before = self.variables.get(key, UNIFORM) if key is not None else UNIFORM
                by = self.of(inner.children[1])
                keeps = by == 0 and (before == 0 or inner.op in ("+=", "-="))
                self._store(inner.children[0], before if keeps else VARYING, at, nested=inner is not node)
            elif inner.kind == "UNARY_OPERATOR" and inner.op in STEPS:
                key = variable_of(inner.children[0])
                before = self.variables.get(key, UNIFORM) if key is not None else UNIFORM
                self._store(inner.children[0], before, at, nested=inner is not node)
            elif inner.kind == "CALL_EXPR":
                self._call_writes(inner, at)

    def _store(self, target: Node, shape: Shape, at: Control, nested: bool) -> None:
        key = variable_of(target)
        if key is None:
            return
        inner = without_casts(target)
        if inner.kind == "DECL_REF_EXPR":
            if nested and shape != 0:
                shape = VARYING
            self._assign(key, shape, inner, at)
        else:  # a part of it
            indices = [n.children[1] for n in inner.walk() if n.kind == "ARRAY_SUBSCRIPT_EXPR"]
            same = shape == 0 and all(self.of(n) == 0 for n in indices)
            self._assign(key, UNIFORM if same else VARYING, inner, at)

    def _call_writes(self, call: Node, at: Control) -> None:
        """Record that a call may write to variables whose address is passed to it."""
        if call.name in BARRIERS | FENCES | GROUP_COPIES:
            return
        for argument in arguments(call):
            inner = without_casts(argument)
            by_address = inner.kind == "UNARY_OPERATOR" and inner.op == "&"
            if by_address or inner.type.kind == "array":
                key = variable_of(inner.children[0] if by_address else inner)
                if key is not None:
                    values = [n for n in arguments(call) if n is not argument]
                    same = all(self.of(n) == 0 for n in values) and not self.has_effects(call.name)
                    self._assign(key, UNIFORM if same else VARYING, inner, at)

    def _assign(self, key: str, shape: Shape, node: Node, at: Control) -> None:
        if at.divergent or key in self.forced:
            shape = VARYING
        if shape is not None and shape != 0:
            type = node.type
            pointer = type.kind == "pointer" and bool(type.element)
            if not pointer and type.lane not in _WIDE:
                shape = VARYING
        known = self.variables.get(key, shape)
        self.variables[key] = shape if known == shape else VARYING


# Structure of expressions


def without_casts(node: Node) -> Node:
    """Return the expression below parentheses and implicit conversions."""
    while (node.kind == "PAREN_EXPR" and node.children) or (
        node.kind == "UNEXPOSED_EXPR"
        and len(node.children) == 1
        and not is_swizzle(node)
        and (not node.macro or node.children[0].kind.endswith("_LITERAL"))
    ):
        node = node.children[0]
    return node


def is_swizzle(node: Node) -> bool:
    """Return whether a node is a swizzle such as `v.xy`; libclang has no cursor kind for it."""
    if node.kind != "UNEXPOSED_EXPR" or not node.children:
        return False
    below = node.children[0]
    return (below.start, below.end) != (node.start, node.end) and not node.macro


def literal(node: Node) -> int | None:
    """Return the value of an integer constant, or None."""
    inner = without_casts(node)
    if inner.kind == "UNARY_OPERATOR" and inner.op == "-":
        below = literal(inner.children[0])
        return None if below is None else -below
    return inner.value if inner.kind == "INTEGER_LITERAL" else None


def arguments(call: Node) -> list[Node]:
    """Return the arguments of a call."""
    return call.children[1:]


def initializer(node: Node) -> Node | None:
    """Return the initial value of a variable, or None."""
    values = [n for n in node.children if n.kind not in ("TYPE_REF", "UNEXPOSED_ATTR", "ALIGNED_ATTR")]
    return values[-1] if values and node.type.kind != "array" else None


def variable_of(node: Node) -> str | None:
    """Return the private variable that an lvalue or array belongs to; None for memory accessed by pointer."""
    inner = without_casts(node)
    while True:
        if inner.kind == "DECL_REF_EXPR":
            return None if inner.type.kind != "pointer" and inner.type.space in SHARED else inner.key
        if inner.kind == "ARRAY_SUBSCRIPT_EXPR" or (inner.kind == "MEMBER_REF_EXPR" and inner.children):
            inner = without_casts(inner.children[0])
            if inner.type.kind == "pointer":
                return None
        elif is_swizzle(inner):
            inner = without_casts(inner.children[0])
        else:
            return None


def condition_of(loop: Node) -> Node | None:
    """Return the condition of a loop."""
    match loop.kind:
        case "FOR_STMT":
            return loop.parts[1]
        case "WHILE_STMT":
            return loop.children[0]
    return loop.children[-1]


def loop_parts(loop: Node) -> tuple[list[Node], Node]:
    """Return the parts of a loop header, and the body."""
    match loop.kind:
        case "FOR_STMT":
            body = loop.parts[3]
            assert body is not None
            return [n for n in loop.parts[:3] if n is not None], body
        case "WHILE_STMT":
            return [loop.children[0]], loop.children[-1]
    return [loop.children[-1]], loop.children[0]


def _returns(node: Node) -> bool:
    return any(n.kind == "RETURN_STMT" for n in node.walk())
