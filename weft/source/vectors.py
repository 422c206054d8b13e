"""Rewrite expressions of one lane as vectors of all lanes.

An expression can be written in three ways:

- `scalar(node)`: the value of lane 0, which is that of all lanes if the expression is uniform. The original
  text, with the ids of merged work-items.
- `lane(node, k)`: the value of lane k. The original text with names replaced: `x_v4.s2` for `x`.
- `vector(node)`: the values of all lanes. Operators and built-in functions get vector operands, with C's
  implicit conversions made explicit; consecutive elements are read by `vloadn`. An expression without a
  vector form is built from its lanes: `(float4)(f(x_v4.s0), f(x_v4.s1), ...)`.

All lanes are active wherever a vector is computed. Only parts that a lane would skip (the arms of `?:`, the
right side of `&&`) must be safe to evaluate speculatively.
"""

from collections.abc import Callable

from weft.dataclasses import dataclass, field
from weft.source.builtin_calls import (
    AS_TYPE,
    CONVERSION,
    ELEMENTWISE,
    LANE_IDS,
    RELATIONAL,
    SCALED,
)
from weft.source.edits import Edit, apply
from weft.source.effects import has_effects, is_safe
from weft.source.model import Node, Source
from weft.source.shapes import ASSIGNMENTS, Shapes, arguments, is_swizzle, literal, variable_of, without_casts
from weft.source.types import COMPONENTS, SIZES, mask_type

# Precedence levels of operators; operands with a higher level get parentheses.
_ATOM, _UNARY_LEVEL, _LOWEST = 0, 1, 20
_LEVELS = {"*": 3, "/": 3, "%": 3, "+": 4, "-": 4}
_COMPARISONS = frozenset(("<", ">", "<=", ">=", "==", "!="))
_SUFFIXES = {"int": "", "uint": "u", "long": "l", "ulong": "ul"}


class NoVector(Exception):
    """A statement has no vector form and must run lane by lane."""

    def __init__(self, node: Node, reason: str) -> None:
        super().__init__(reason)
        self.node, self.reason = node, reason


@dataclass(frozen=True)
class Text:
    """The text of an expression and the precedence level of its outermost operator."""

    text: str
    level: int = _ATOM

    def within(self, level: int) -> str:
        """Return the text as an operand of an operator with precedence `level`."""
        return self.text if self.level <= level else f"({self.text})"


@dataclass(eq=False)
class Lanes:
    """The number of lanes is `factor`; `items` is the name that holds the global size, if there is one."""

    factor: int
    ids: bool
    items: str = ""


@dataclass(eq=False)
class Vectors:
    """Writes expressions of one kernel or loop as vectors."""

    source: Source
    shapes: Shapes
    lanes: Lanes
    used_names: set[str]
    # Writes a call of a function of the program for all lanes; raises NoVector if it cannot.
    own: Callable[[Node, "Vectors"], Text] | None = None
    # Variables without a vector type, which are kept in arrays with one element per lane.
    in_arrays: set[str] = field(default_factory=set)
    # Lines that must precede the statement that is being written.
    before: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    # Functions of the program that are called once per lane, and why.
    notes: list[tuple[Node, str]] = field(default_factory=list)
    # Greater than 0 within `?:` and the like, where no code may be moved before the statement.
    conditional: int = 0

    # Names

    def fresh(self, name: str) -> str:
        """Return a name that the program does not use."""
        candidate, number = name, 2
        while candidate in self.used_names:
            candidate, number = f"{name}_{number}", number + 1
        self.used_names.add(candidate)
        return candidate

    def home(self, node: Node) -> str:
        """Return the name of the vector or array that holds a varying variable."""
        if node.key not in self.names:
            suffix = "lanes" if node.key in self.in_arrays else f"v{self.lanes.factor}"
            self.names[node.key] = self.fresh(f"{node.name}_{suffix}")
        return self.names[node.key]

    def component(self, k: int) -> str:
        """Return the component of lane `k`, such as `.s2`."""
        return f".s{COMPONENTS[k]}"

    def of(self, element: str) -> str:
        """Return the vector type of a scalar type."""
        return f"{element}{self.lanes.factor}"

    # One lane

    def id_call(self, node: Node, k: str) -> str | None:
        """Return the replacement of a work-item function call in lane `k`; None keeps the call."""
        if not self.lanes.ids or node.kind != "CALL_EXPR":
            return None
        name, factor = node.name, self.lanes.factor
        if name in LANE_IDS and literal(node.children[1]) == 0:
            plus = "" if k == "0" else f" + {k}"
            return f"({self.source.of(node)} * {factor}{plus})"
        if name in SCALED and literal(node.children[1]) == 0:
            if name == "get_global_size" and self.lanes.items:
                return self.lanes.items
            return f"({self.source.of(node)} * {factor})"
        return None

    def lane_edits(self, root: Node, k: str, local: set[str] | None = None) -> list[Edit]:
        """Return the edits that turn the text of a node into that of lane `k`.

        In the body of a loop over lanes (`k` is its variable), scalars are declared under their own names,
        and `local` holds the variables that the body declares.
        """
        loop = local is not None
        edits: list[Edit] = []
        stack = [root]
        while stack:
            node = stack.pop()
            called = self.id_call(node, k)
            if called is not None:
                self.check_macro(node)
                edits.append(self.replaced(node, called))
                continue
            if node.kind == "ARRAY_SUBSCRIPT_EXPR" and self._in_vectors(node):
                edits += self._array_edits(node, k)
                stack.append(node.children[1])
                continue
            stack += node.children
            if node.kind == "DECL_REF_EXPR" and (local is None or node.key not in local):
                shape = self.shapes.variables.get(node.key, 0)
                if shape == 0:
                    continue
                if node.key in self.in_arrays:
                    new = f"{self.home(node)}[{k}]"
                elif shape is not None:
                    if k == "0":
                        continue
                    new = f"({node.name} + {k})" if shape == 1 else f"({node.name} + {shape} * {k})"
                elif loop:
                    continue
                else:
                    new = f"{self.home(node)}{self.component(int(k))}"
                self.check_macro(node)
                edits.append(self.replaced(node, new))
        return edits

    def replaced(self, node: Node, text: str) -> Edit:
        """Return the edit that replaces a node by a text, without redundant parentheses."""
        if text.startswith("(") and self.source.is_alone(node.start, node.end):
            text = text[1:-1]
        return Edit(node.start, node.end, text)

    def _in_vectors(self, node: Node) -> bool:
        """Return whether an element of a private array is a vector."""
        inner = without_casts(node.children[0])
        return (
            inner.kind == "DECL_REF_EXPR"
            and inner.type.kind == "array"
            and inner.key not in self.in_arrays
            and self.shapes.variables.get(inner.key, 0) is None
        )

    def _array_edits(self, node: Node, k: str) -> list[Edit]:
        inner = without_casts(node.children[0])
        self.check_macro(inner)
        name = self.home(inner)
        if k.isdigit():
            return [Edit(inner.start, inner.end, name), Edit(node.end, node.end, self.component(int(k)))]
        element = inner.type.element
        return [
            Edit(inner.start, inner.end, f"(({element} *)&{name}"),
            Edit(node.end, node.end, f")[{k}]"),
        ]

    def check_macro(self, node: Node) -> None:
        """Refuse to change code in the body of a macro."""
        if node.macro:
            reason = f"the macro {node.macro} hides code that must be rewritten; expand it"
            raise self.source.refused(node, reason)

    def lane(self, node: Node, k: int) -> str:
        """Return the expression for lane `k`."""
        self._check_tops(node)
        return apply(self.source.text, self.lane_edits(node, str(k)), node.start, node.end)

    def scalar(self, node: Node) -> str:
        """Return the expression for lane 0."""
        return self.lane(node, 0)

    def _check_tops(self, node: Node) -> None:
        if node.is_fragment:
            reason = f"the macro {node.macro} is not a single operand; parenthesize its definition"
            raise self.source.refused(node, reason)

    def scalar_as(self, node: Node, element: str) -> Text:
        """Return the value of lane 0 as a scalar of type `element`."""
        inner = without_casts(node)
        if inner.kind == "INTEGER_LITERAL" and not inner.macro and inner.value is not None:
            if element in _SUFFIXES and (inner.type.lane == element or 0 <= inner.value < 1 << 31):
                text = self.source.of(inner)
                return Text(text if inner.type.lane == element else f"{inner.value}{_SUFFIXES[element]}")
            if element in ("float", "double") and abs(inner.value) < 1 << 24:
                return Text(f"{inner.value}.0{'f' if element == 'float' else ''}")
        text = self.scalar(inner)
        level = _ATOM if _is_primary(inner) else _LOWEST
        hidden = inner.macro and not inner.kind.endswith("_LITERAL")  # its type is unknown
        if inner.type.kind == "scalar" and inner.type.element == element and not hidden:
            return Text(text, level)
        return Text(f"({element}){Text(text, level).within(_ATOM)}", _UNARY_LEVEL)

    # All lanes

    def vector(self, node: Node) -> Text:
        """Return the expression for all lanes; its type is the vector of `node.type.lane`."""
        element = node.type.lane
        if not element:
            raise NoVector(node, f"a value of type {node.type.spelling} has no vector for lanes")
        shape = self.shapes.of(node)
        if shape == 0:
            return Text(f"({self.of(element)})({self.scalar_as(node, element).text})")
        if shape is not None:
            steps = ", ".join(str(shape * k) for k in range(self.lanes.factor))
            base = self.scalar_as(node, element).within(4)
            return Text(f"{base} + ({self.of(element)})({steps})", 4)
        try:
            if node.macro and not AS_TYPE.fullmatch(node.macro):
                raise NoVector(node, "")
            return self._computed(node, element)
        except NoVector:
            return self._from_lanes(node, element)

    def operand(self, node: Node, element: str) -> Text:
        """Return an operand of a vector operation: a scalar if it is uniform."""
        return self.scalar_as(node, element) if self.shapes.of(node) == 0 else self.vector(node)

    def mask(self, node: Node) -> Text:
        """Return a condition for all lanes: an int vector with -1 where it is true, and 0 elsewhere."""
        if self.shapes.of(node) == 0:
            return Text(f"({self.of('int')})({Text(self.scalar(node), _LOWEST).within(_ATOM)} ? -1 : 0)")
        inner = without_casts(node)
        if not inner.macro:
            if inner.kind == "BINARY_OPERATOR" and inner.op in _COMPARISONS and inner.children[0].type.lane:
                return self._comparison(inner)
            if inner.kind == "BINARY_OPERATOR" and inner.op in ("&&", "||"):
                left, right = inner.children
                if is_safe(right, self.shapes):
                    op = inner.op[0]
                    return Text(f"{self.mask(left).within(_ATOM)} {op} {self.mask(right).within(_ATOM)}", 9)
                return self._nonzero(self._from_lanes(inner, "int"), "int")
            if inner.kind == "UNARY_OPERATOR" and inner.op == "!":
                return Text(f"~{self.mask(inner.children[0]).within(_ATOM)}", _UNARY_LEVEL)
            if inner.kind == "CALL_EXPR" and inner.name in RELATIONAL:
                return self._relational(inner)
        return self._nonzero(self.vector(inner), inner.type.lane)

    def _nonzero(self, value: Text, element: str) -> Text:
        zero = {"float": "0.0f", "double": "0.0", "half": "(half)0"}.get(element, f"({element})0")
        zero = "0" if element == "int" else zero
        return self._as_int_mask(f"{value.within(_ATOM)} != {zero}", element)

    def _as_int_mask(self, comparison: str, element: str) -> Text:
        if SIZES[element] == 4:
            return Text(comparison, 7)
        return Text(f"convert_{self.of('int')}({comparison})")

    def as_mask_of(self, mask: str, element: str) -> str:
        """Convert a mask of int for vectors of another type."""
        kind = mask_type(element)
        return mask if kind == "int" else f"convert_{self.of(kind)}({mask})"

    def converted(self, value: Text, of: str, to: str) -> Text:
        """Convert a value as an assignment or a cast does."""
        return value if of == to else Text(f"convert_{self.of(to)}({value.text})")

    # Forms

    def _computed(self, node: Node, element: str) -> Text:
        below = node.children
        match node.kind:
            case "PAREN_EXPR":
                return self.vector(below[0])
            case "DECL_REF_EXPR":
                if node.key in self.in_arrays:
                    raise NoVector(node, "")
                return Text(self.home(node))
            case "UNEXPOSED_EXPR" | "CSTYLE_CAST_EXPR" if below:
                return self._cast(node, element)
            case "BINARY_OPERATOR":
                return self._binary(node, element)
            case "UNARY_OPERATOR":
                return self._unary(node, element)
            case "ARRAY_SUBSCRIPT_EXPR":
                return self._load(node, element)
            case "CONDITIONAL_OPERATOR":
                return self._choice(node, element)
            case "CALL_EXPR":
                return self._call(node, element)
        raise NoVector(node, "")

    def _from_lanes(self, node: Node, element: str) -> Text:
        """Build the vector from the values of its lanes."""
        if has_effects(node, self.shapes):
            raise NoVector(node, "an expression with side effects is varying")
        parts = [self.lane(node, k) for k in range(self.lanes.factor)]
        return Text(f"({self.of(element)})({', '.join(parts)})")

    def _cast(self, node: Node, element: str) -> Text:
        below = node.children[-1]
        matched = AS_TYPE.fullmatch(node.macro) if node.macro else None
        if matched:
            value = next((n for n in node.walk() if not n.macro), None)
            if value is None or not value.type.lane or value.type.kind == "bool":
                raise NoVector(node, "")
            if SIZES[value.type.lane] != SIZES[element]:
                raise NoVector(node, "")
            return Text(f"as_{self.of(element)}({self.vector(value).text})")
        if is_swizzle(node) or not below.type.lane:
            raise NoVector(node, "")
        if node.type.kind == "bool" and below.type.kind != "bool":
            return Text(f"{self.mask(below).within(_ATOM)} & 1", 9)
        return self.converted(self.vector(below), below.type.lane, element)

    def _binary(self, node: Node, element: str) -> Text:
        left, right = node.children
        self._check_operator(node)
        if node.op in _COMPARISONS or node.op in ("&&", "||"):
            if not left.type.lane or not right.type.lane:
                raise NoVector(node, "")
            return Text(f"{self.mask(node).within(_ATOM)} & 1", 9)
        if node.op in ASSIGNMENTS or node.op == "," or not left.type.lane or not right.type.lane:
            raise NoVector(node, "")
        if node.op in ("<<", ">>"):
            return self._shift(node, element)
        if left.type.lane != element or right.type.lane != element:
            raise NoVector(node, "")
        a, b = self.operand(left, element), self.operand(right, element)
        level = _LEVELS.get(node.op)
        if level is None:
            return Text(f"{a.within(_ATOM)} {node.op} {b.within(_ATOM)}", 9)
        return Text(f"{a.within(level)} {node.op} {b.within(level - 1)}", level)

    def _check_operator(self, node: Node) -> None:
        left, right = node.children
        if node.op not in self.source.text[left.end : right.start]:
            raise self.source.refused(node, "a macro hides an operator of this expression; expand it")

    def _shift(self, node: Node, element: str) -> Text:
        left, right = node.children
        value = self.vector(left)
        by = right.type.lane
        amount = self.scalar_as(right, element) if self.shapes.of(right) == 0 else None
        if amount is None:
            amount = self.converted(self.vector(right), by, element)
        return Text(f"{value.within(_ATOM)} {node.op} {amount.within(_ATOM)}", 9)

    def _comparison(self, node: Node) -> Text:
        left, right = node.children
        self._check_operator(node)
        element = left.type.lane
        a, b = self.operand(left, element), self.operand(right, element)
        return self._as_int_mask(f"{a.within(4)} {node.op} {b.within(4)}", element)

    def _unary(self, node: Node, element: str) -> Text:
        below = node.children[0]
        match node.op:
            case "-" | "~" | "+":
                return Text(f"{node.op}{self.vector(below).within(_ATOM)}", _UNARY_LEVEL)
            case "!":
                return Text(f"{self.mask(node).within(_ATOM)} & 1", 9)
            case "*":
                return self._load(node, element)
        raise NoVector(node, "")

    def _choice(self, node: Node, element: str) -> Text:
        condition, then, other = node.children
        if self.shapes.of(condition) == 0:
            self.conditional += 1
            a, b = self.vector(then), self.vector(other)
            self.conditional -= 1
            text = Text(self.scalar(condition), _LOWEST).within(_ATOM)
            return Text(f"{text} ? {a.within(_ATOM)} : {b.within(_ATOM)}", _LOWEST)
        if not (is_safe(then, self.shapes) and is_safe(other, self.shapes)):
            raise NoVector(node, "")
        a, b = self.vector(then), self.vector(other)
        return Text(f"select({b.text}, {a.text}, {self.as_mask_of(self.mask(condition).text, element)})")

    # Calls

    def _call(self, node: Node, element: str) -> Text:
        name, operands = node.name, arguments(node)
        if name in self.source.functions:
            return self._own_call(node)
        if not all(n.type.lane for n in operands) or node.macro:
            raise NoVector(node, "")
        if any(n.type.kind == "bool" for n in operands):
            raise NoVector(node, "")
        if name in ELEMENTWISE:
            return Text(f"{name}({', '.join(self.vector(n).text for n in operands)})")
        if name in RELATIONAL:
            return Text(f"{self._relational(node).within(_ATOM)} & 1", 9)
        if name == "select":
            first, second, condition = operands
            if SIZES[first.type.lane] != SIZES[element]:
                raise NoVector(node, "")
            mask = self.as_mask_of(self.mask(condition).text, element)
            return Text(f"select({self.vector(first).text}, {self.vector(second).text}, {mask})")
        matched = CONVERSION.fullmatch(name)
        if matched:
            return Text(f"convert_{self.of(matched[1])}{matched[2]}({self.vector(operands[0]).text})")
        raise NoVector(node, "")

    def _own_call(self, node: Node) -> Text:
        if self.own is None or node.macro:
            raise NoVector(node, "")
        try:
            return self.own(node, self)
        except NoVector as why:
            self.notes.append((node, why.reason))
            raise

    def _relational(self, node: Node) -> Text:
        operands = arguments(node)
        element = operands[0].type.lane
        call = f"{node.name}({', '.join(self.vector(n).text for n in operands)})"
        return Text(call) if SIZES[element] == 4 else Text(f"convert_{self.of('int')}({call})")

    # Memory

    def _load(self, node: Node, element: str) -> Text:
        if node.kind == "ARRAY_SUBSCRIPT_EXPR" and self._in_vectors(node):
            if self.shapes.of(node.children[1]) != 0:
                raise NoVector(node, "")
            inner = without_casts(node.children[0])
            return Text(f"{self.home(inner)}[{self.scalar(node.children[1])}]")
        if node.type.kind != "scalar" or variable_in_array(node, self.in_arrays):
            raise NoVector(node, "")
        if self.shapes.address(node) == 1 and not node.type.is_volatile:
            return Text(f"vload{self.lanes.factor}(0, {self.pointer(node)})")
        if node.kind != "ARRAY_SUBSCRIPT_EXPR" or self.conditional or self.shapes.base(node.children[0]) != 0:
            raise NoVector(node, "")
        index = self.index(node.children[1])
        base = self.scalar(node.children[0])
        parts = [f"{base}[{index}{self.component(k)}]" for k in range(self.lanes.factor)]
        return Text(f"({self.of(element)})({', '.join(parts)})")

    def index(self, node: Node) -> str:
        """Return a name for a varying index: the variable itself, or one computed before the statement."""
        inner = without_casts(node)
        if (
            inner.kind == "DECL_REF_EXPR"
            and self.shapes.of(inner) is None
            and inner.key not in self.in_arrays
        ):
            return self.home(inner)
        if self.shapes.of(node) is not None or not inner.type.lane or inner.macro:
            raise NoVector(node, "")
        return self.declare(self.vector(inner).text, inner.type.lane, "index")

    def declare(self, text: str, element: str, name: str) -> str:
        """Declare a variable before the statement that holds a vector, and return its name."""
        variable = self.fresh(f"{name}_v{self.lanes.factor}")
        self.before.append(f"{self.of(element)} {variable} = {text};")
        return variable

    def pointer(self, node: Node) -> str:
        """Return the address of the element of lane 0."""
        if node.kind == "ARRAY_SUBSCRIPT_EXPR":
            return f"&{self.scalar(node)}"
        return self.scalar(node.children[0])


def _is_primary(node: Node) -> bool:
    if node.macro:
        return node.kind in ("INTEGER_LITERAL", "FLOATING_LITERAL", "PAREN_EXPR", "CALL_EXPR")
    return node.kind in (
        *("DECL_REF_EXPR", "INTEGER_LITERAL", "FLOATING_LITERAL", "CALL_EXPR", "ARRAY_SUBSCRIPT_EXPR"),
        *("PAREN_EXPR", "MEMBER_REF_EXPR"),
    )


def variable_in_array(node: Node, in_arrays: set[str]) -> bool:
    """Return whether an lvalue is part of a variable that is kept in an array."""
    key = variable_of(node)
    return key is not None and key in in_arrays
