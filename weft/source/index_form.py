"""Parse indices in the source tree as polynomials, and split them into rows and columns.

`row * pitch + column` is recognized in any order, and through variables that are assigned once: after `int at
= (y + 1) * n + x;`, `a[at - n]` is row `y`, column `x` of a matrix with rows of `n` elements.
"""

from collections.abc import Sequence
from math import gcd, prod

from weft.dataclasses import dataclass
from weft.smt.studies.integers import Monomial, Poly, Variable, number, variable
from weft.source.builtin_calls import has_side_effects
from weft.source.effects import target_of
from weft.source.model import Function, Node, Source
from weft.source.shapes import (
    LOOPS,
    initializer,
    literal,
    loop_parts,
    variable_of,
    without_casts,
)
from weft.source.types import INTEGERS

_SIZES = frozenset(("get_global_size", "get_local_size", "get_num_groups", "get_global_offset"))
# The maximum number of assignments that are followed from a variable to the variables that define it.
_CHAIN = 16
_MOST_SHIFTED = 31
_NUMBER = "#"


@dataclass(frozen=True)
class Place:
    """An index as the row and column of a matrix."""

    row: Poly
    column: Poly


class Indices:
    """Reads the indices of a kernel. Atoms of polynomials are variables, and expressions that are not sums.

    Constants in a sum are kept separate, as atoms such as `#64@12` with the position in the source: if rows
    have 64 elements, 64 is a row and 1 is a column.
    """

    def __init__(self, source: Source, kernel: Function) -> None:
        self.source, self.kernel = source, kernel
        self.texts: dict[str, str] = {}
        """The source text of each atom."""
        self.values: dict[str, int] = {}
        """The numbers of atoms that are macros for numbers."""
        self._uniform: set[str] = set()
        self._inside: dict[str, frozenset[str]] = {}
        self._declared: dict[str, Node] = {}
        self._loops_of: dict[str, frozenset[Node]] = {}
        self._assigned: set[str] = set()
        self.counters: dict[str, Node] = {}
        """Variables that only the header of one loop assigns, with that loop."""
        self._names: dict[str, int] = {}
        self._expanded: dict[str, Poly | None] = {}
        self._parameters = {p.key for p in kernel.parameters}
        for parameter in kernel.parameters:
            self._names[parameter.name] = 1
        self._look()

    def _look(self) -> None:
        """Find declarations and assigned variables."""
        stack: list[tuple[Node, frozenset[Node], Node | None]] = [(self.kernel.body, frozenset(), None)]
        changes: dict[str, set[Node | None]] = {}
        while stack:
            node, loops, header = stack.pop()
            if node.kind == "VAR_DECL":
                self._declared[node.key] = node
                self._loops_of[node.key] = loops
                self._names[node.name] = self._names.get(node.name, 0) + 1
            for key in _changed(node):
                changes.setdefault(key, set()).add(header)
            if node.kind in LOOPS:
                inner = loops | {node}
                heads, body = loop_parts(node)
                stack += [(part, inner, node) for part in heads]
                stack.append((body, inner, None))
            else:
                stack += [(below, loops, header) for below in node.children]
        for key, where in changes.items():
            self._assigned.add(key)
            if len(where) == 1 and (loop := next(iter(where))) is not None:
                self.counters[key] = loop

    def is_alone(self, name: str) -> bool:
        """Return whether a name denotes one variable in the whole kernel."""
        return self._names.get(name) == 1

    def is_set_once(self, key: str, name: str) -> bool:
        """Return whether a parameter is never assigned and its name is unique."""
        return key not in self._assigned and self.is_alone(name)

    # Reading

    def read(self, node: Node, chain: int = 0) -> Poly:
        """Return the polynomial of an expression; raise Refused for side effects and for parts hidden by
        macros."""
        inner = without_casts(node)
        if inner.macro or node.macro:
            return self._macro(inner if inner.macro else node)
        below = inner.children
        match inner.kind:
            case "INTEGER_LITERAL" if inner.value is not None:
                return variable(f"{_NUMBER}{inner.value}@{inner.start}")
            case "BINARY_OPERATOR" if inner.op in ("+", "-", "*") and inner.type.lane in INTEGERS:
                a, b = self.read(below[0], chain), self.read(below[1], chain)
                return a + b if inner.op == "+" else a - b if inner.op == "-" else _times(a, b)
            case "BINARY_OPERATOR" if inner.op == "<<":
                by = literal(below[1])
                if by is not None and 0 <= by <= _MOST_SHIFTED:
                    return self.read(below[0], chain) * number(1 << by)
            case "UNARY_OPERATOR" if inner.op in ("-", "+"):
                read = self.read(below[0], chain)
                return -read if inner.op == "-" else read
            case "DECL_REF_EXPR":
                return self._variable(inner, chain)
        return self._opaque(inner)

    def _variable(self, node: Node, chain: int) -> Poly:
        key = node.key
        if key not in self._expanded:
            self._expanded[key] = None
            self._expanded[key] = self._expansion(key, chain)
        expanded = self._expanded[key]
        if expanded is not None:
            return expanded
        self.texts[key] = node.name
        if self._is_uniform(key):
            self._uniform.add(key)
        return variable(key)

    def _expansion(self, key: str, chain: int) -> Poly | None:
        """Return the value of a variable that is assigned once, unless it is a simple sum."""
        declared = self._declared.get(key)
        value = initializer(declared) if declared is not None else None
        if value is None or key in self._assigned or chain >= _CHAIN or value.type.lane not in INTEGERS:
            return None
        for inner in value.walk():
            if inner.kind == "DECL_REF_EXPR" and inner.key in self._declared.keys() | self._parameters:
                loop = self.counters.get(inner.key)
                fixed = inner.key not in self._assigned or loop in self._loops_of[key]
                if not fixed or self._names.get(inner.name) != 1:
                    return None
        poly = self.read(value, chain + 1)
        simple = all(len(m) <= 1 and (not m or abs(c) == 1) for m, c in poly.parts)
        return None if simple else poly

    def _is_uniform(self, key: str) -> bool:
        if key in self._assigned:
            return False
        if key in self._parameters:
            return True
        declared = self._declared.get(key)
        value = initializer(declared) if declared is not None else None
        if value is None:
            return False
        for node in value.walk():
            if node.kind == "CALL_EXPR" and node.name not in _SIZES:
                return False
            if node.kind == "DECL_REF_EXPR" and node.type.kind == "scalar":
                if node.key not in self._parameters or node.key in self._assigned:
                    return False
            elif node.kind in ("ARRAY_SUBSCRIPT_EXPR", "UNARY_OPERATOR", "MEMBER_REF_EXPR"):
                return False
        return True

    def _macro(self, node: Node) -> Poly:
        if node.is_fragment:
            raise self.source.refused(node, f"the macro {node.macro} hides a part of the index")
        text = self.source.of(node)
        value = literal(node)
        if value is None:
            return self._opaque(node)
        self.texts[text], self.values[text] = text, value
        self._uniform.add(text)
        return variable(text)

    def _opaque(self, node: Node) -> Poly:
        """Treat an expression as one atom."""
        for inner in node.walk():
            calls = inner.kind == "CALL_EXPR" and (
                inner.name in self.source.functions or has_side_effects(inner.name)
            )
            if target_of(inner) is not None or calls:
                raise self.source.refused(inner, "the index has side effects")
        text = self.source.of(node)
        name = "".join(text.split())
        simple = node.kind in ("CALL_EXPR", "ARRAY_SUBSCRIPT_EXPR", "PAREN_EXPR") or node.macro
        self.texts[name] = text if simple else f"({text})"
        self._inside[name] = frozenset(n.key or n.macro for n in node.walk() if n.key or n.macro)
        if node.kind == "CALL_EXPR" and node.name in _SIZES:
            self._uniform.add(name)
        return variable(name)

    # Rows and columns

    def pitch(self, polys: Sequence[Poly], nodes: Sequence[Node], name: str) -> Poly:
        """Return the number of elements between rows that all indices of an object have in common."""
        products = [
            (m, c, n) for poly, n in zip(polys, nodes, strict=True) for m, c in poly.parts if len(m) > 1
        ]
        if not products:
            return self._constant_pitch(polys, nodes, name)
        common: list[Variable] | None = None
        for monomial, _, node in products:
            own = [a for a in monomial if isinstance(a, Variable) and a.name in self._uniform]
            both = own if common is None else [a for a in common if a in own]
            if not both:
                words = "its index is not row * pitch + column with a uniform pitch"
                if common is not None:
                    words = (
                        f"{name} has rows {self.text(_product(common))} elements apart elsewhere, not here"
                    )
                raise self.source.refused(node, words)
            common = list(dict.fromkeys(both))
        assert common is not None
        return _product(common) * number(gcd(*(c for _, c, _ in products)))

    def _constant_pitch(self, polys: Sequence[Poly], nodes: Sequence[Node], name: str) -> Poly:
        factors = {abs(c) for poly in polys for m, c in poly.parts if not _is_number(m) and abs(c) > 1}
        if not factors:
            raise self.source.refused(nodes[0], f"{name} has no rows here: its index has no pitch")
        least = min(factors)
        for poly, node in zip(polys, nodes, strict=True):
            if any(not _is_number(m) and abs(c) > 1 and c % least for m, c in poly.parts):
                raise self.source.refused(node, f"{name} has rows {least} elements apart elsewhere, not here")
        return number(least)

    def place(self, poly: Poly, pitch: Poly, node: Node) -> Place:
        """Return the row and column of an index."""
        (atoms, factor), *_ = pitch.parts
        row: list[tuple[Monomial, int]] = []
        column: list[tuple[Monomial, int]] = []
        size = factor
        for atom in atoms:
            size *= self.values.get(str(atom), 0)
        for monomial, c in poly.parts:
            rest = _without(monomial, atoms)
            if _is_number(monomial):
                c *= _number(monomial)
                in_rows = not atoms and c % factor == 0
                (row if in_rows else column).append(((), c // factor if in_rows else c))
            elif rest is None or c % factor:
                column.append((monomial, c))
            else:
                row.append((rest, c // factor))
            if size and column and abs(column[-1][1]) >= size:
                raise self.source.refused(node, f"its rows are not {self.text(pitch)} elements apart")
        result = Place(_sum_of(row), _sum_of(column))
        for monomial, _ in result.column.parts:
            if len(monomial) > 1 or any(atom in atoms for atom in monomial):
                raise self.source.refused(node, "its column is not linear")
        keys = {atom.name for atom in atoms if isinstance(atom, Variable)}
        for monomial, _ in poly.parts:
            for atom in monomial:
                if isinstance(atom, Variable) and self._inside.get(atom.name, frozenset()) & keys:
                    raise self.source.refused(node, "its index is not affine in rows and columns")
        return result

    # Text

    def text(self, poly: Poly) -> str:
        """Format a polynomial as source."""
        words = ""
        # Positive terms come first: `x - 1`, not `-1 + x`.
        for monomial, factor in sorted(poly.parts, key=lambda part: (part[1] < 0, not part[0])):
            names = [self.texts[str(atom)] for atom in monomial]
            if abs(factor) != 1 or not names:
                names.insert(0, str(abs(factor)))
            word = " * ".join(names)
            words += (f" {'-' if factor < 0 else '+'} " if words else "-" if factor < 0 else "") + word
        return words or "0"


def operand(text: str) -> str:
    """Return a text as an operand of `*`: in parentheses, unless it is one word or already parenthesized."""
    if text.replace("_", "").isalnum():
        return text
    name, _, rest = text.partition("(")
    whole = rest.endswith(")") and not set(rest[:-1]) & set("()")
    return text if whole and (not name or name.isidentifier()) else f"({text})"


def _is_number(monomial: Monomial) -> bool:
    return all(str(atom).startswith(_NUMBER) for atom in monomial)


def _number(monomial: Monomial) -> int:
    return prod(int(str(atom).removeprefix(_NUMBER).partition("@")[0]) for atom in monomial)


def _times(a: Poly, b: Poly) -> Poly:
    """Return the product; a constant factor multiplies, unless the other operand contains added constants."""
    for one, other in ((a, b), (b, a)):
        if all(_is_number(m) for m, _ in one.parts):
            value = sum(c * _number(m) for m, c in one.parts)
            return Poly((m, c * value) for m, c in other.parts)
    parts: list[tuple[Monomial, int]] = []
    for monomial, c in (a * b).parts:
        numbers = tuple(atom for atom in monomial if str(atom).startswith(_NUMBER))
        parts.append((tuple(atom for atom in monomial if atom not in numbers), c * _number(numbers)))
    return _sum_of(parts)


def _sum_of(parts: Sequence[tuple[Monomial, int]]) -> Poly:
    total = number(0)
    for part in parts:
        total += Poly([part])
    return total


def _product(atoms: Sequence[Variable]) -> Poly:
    return Poly([(tuple(sorted(atoms, key=str)), 1)])


def _without(monomial: Monomial, atoms: Monomial) -> Monomial | None:
    """Return a monomial divided by `atoms`; None if they do not divide it."""
    remaining = list(monomial)
    for atom in atoms:
        if atom not in remaining:
            return None
        remaining.remove(atom)
    return tuple(remaining)


def _changed(node: Node) -> list[str]:
    """Return the variables that a node assigns or whose address it takes."""
    places: list[Node] = []
    target = target_of(node)
    if target is not None:
        places.append(target)
    if node.kind == "UNARY_OPERATOR" and node.op == "&":
        places.append(node.children[0])
    return [key for place in places if (key := variable_of(place)) is not None]
