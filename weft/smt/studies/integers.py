"""Expressions over unbounded integers: polynomials over variables, quotients and remainders.

This is the language of the paper: sums and multiples of variables, `div` and `mod`. A polynomial is kept in
normal form, so that terms cancel: *modulo elimination* (section 4) replaces `x mod k` by `x - k * (x div k)`,
and equal quotients are merged. Division and remainder are those of SMT-LIB: the remainder is never negative.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from weft.dataclasses import dataclass


@dataclass(frozen=True)
class Variable:
    """An unknown integer."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Quotient:
    """`a div b` or `a mod b`."""

    op: str  # "div" or "mod"
    a: "Poly"
    b: "Poly"

    @cached_property
    def _text(self) -> str:
        return f"{_atomic(self.a)} {'/' if self.op == 'div' else '%'} {_atomic(self.b)}"

    def __str__(self) -> str:
        return self._text


@dataclass(frozen=True)
class Power:
    """2 to the power of an integer that is not negative."""

    exponent: "Poly"

    def __str__(self) -> str:
        return f"2^{_atomic(self.exponent)}"


@dataclass(frozen=True)
class Comparison:
    """`a < b`, `a <= b` or `a = b`."""

    op: str
    a: "Poly"
    b: "Poly"

    def __str__(self) -> str:
        return f"{self.a} {self.op} {self.b}"


@dataclass(frozen=True)
class Choice:
    """One of two integers."""

    condition: Comparison
    yes: "Poly"
    no: "Poly"

    def __str__(self) -> str:
        return f"({self.condition} ? {self.yes} : {self.no})"


Atom = Variable | Quotient | Power | Choice
Monomial = tuple[Atom, ...]


class Poly:
    """A sum of monomials, each an integer times atoms; in normal form, so equal ones compare equal."""

    __slots__ = ("_hash", "parts")
    parts: tuple[tuple[Monomial, int], ...]

    def __init__(self, parts: Iterable[tuple[Monomial, int]]) -> None:
        self.parts = tuple(sorted(((m, c) for m, c in parts if c), key=lambda part: _order(part[0])))
        self._hash = hash(self.parts)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and self._hash == other._hash and self.parts == other.parts

    @property
    def constant(self) -> int | None:
        """The value, if the polynomial is a constant."""
        if not self.parts:
            return 0
        return self.parts[0][1] if len(self.parts) == 1 and not self.parts[0][0] else None

    def __add__(self, other: "Poly") -> "Poly":
        factors = dict(self.parts)
        for monomial, factor in other.parts:
            factors[monomial] = factors.get(monomial, 0) + factor
        return Poly(factors.items())

    def __neg__(self) -> "Poly":
        return Poly((m, -c) for m, c in self.parts)

    def __sub__(self, other: "Poly") -> "Poly":
        return self + -other

    def __mul__(self, other: "Poly") -> "Poly":
        factors: dict[Monomial, int] = {}
        for m, c in self.parts:
            for n, d in other.parts:
                product = tuple(sorted(m + n, key=str))
                factors[product] = factors.get(product, 0) + c * d
        return Poly(factors.items())

    def __str__(self) -> str:
        return _text(self)

    def __repr__(self) -> str:
        return f"<{self}>"


def number(value: int) -> Poly:
    """Return a constant polynomial."""
    return Poly([((), value)])


def variable(name: str) -> Poly:
    """Return the polynomial of an unknown integer."""
    return Poly([((Variable(name),), 1)])


def of_atom(atom: Atom) -> Poly:
    """Return an atom as a polynomial."""
    return Poly([((atom,), 1)])


def div(a: Poly, b: Poly) -> Poly:
    """Return `a div b`; constants are folded."""
    if b.constant == 1:
        return a
    if b.constant and all(c % b.constant == 0 for _, c in a.parts):
        return Poly((m, c // b.constant) for m, c in a.parts)
    if a.constant is not None and b.constant:
        return number(_euclid(a.constant, b.constant)[0])
    return of_atom(Quotient("div", a, b))


def mod(a: Poly, b: Poly) -> Poly:
    """Return `a mod b`; constants are folded."""
    if b.constant in (1, -1):
        return number(0)
    if a.constant is not None and b.constant:
        return number(_euclid(a.constant, b.constant)[1])
    return of_atom(Quotient("mod", a, b))


def power(exponent: Poly) -> Poly:
    """Return 2 to the power of a polynomial."""
    if exponent.constant is not None and exponent.constant >= 0:
        return number(1 << exponent.constant)
    # 2^(a + 3) becomes 8 * 2^a, so that equal powers are merged.
    shift = next((c for m, c in exponent.parts if not m), 0)
    if shift > 0:
        return number(1 << shift) * of_atom(Power(exponent - number(shift)))
    return of_atom(Power(exponent))


def choice(condition: Comparison, yes: Poly, no: Poly) -> Poly:
    """Return a choice between two polynomials."""
    return yes if yes == no else of_atom(Choice(condition, yes, no))


def _euclid(a: int, b: int) -> tuple[int, int]:
    remainder = a % abs(b)
    return (a - remainder) // b, remainder


def rewritten(poly: Poly, rule: Callable[[Atom], Poly | None], done: dict[Poly, Poly] | None = None) -> Poly:
    """Replace atoms, innermost first, for which `rule` returns a polynomial."""
    done = {} if done is None else done
    known = done.get(poly)
    if known is not None:
        return known
    result = Poly(())
    for monomial, factor in poly.parts:
        product = number(factor)
        for atom in monomial:
            product = product * _rewritten_atom(atom, rule, done)
        result = result + product
    done[poly] = result
    return result


def _rewritten_atom(atom: Atom, rule: Callable[[Atom], Poly | None], done: dict[Poly, Poly]) -> Poly:
    def inside(poly: Poly) -> Poly:
        return rewritten(poly, rule, done)

    if isinstance(atom, Quotient):
        result = (div if atom.op == "div" else mod)(inside(atom.a), inside(atom.b))
    elif isinstance(atom, Power):
        result = power(inside(atom.exponent))
    elif isinstance(atom, Choice):
        c = atom.condition
        result = choice(Comparison(c.op, inside(c.a), inside(c.b)), inside(atom.yes), inside(atom.no))
    else:
        result = of_atom(atom)
    if len(result.parts) == 1 and result.parts[0][1] == 1 and len(result.parts[0][0]) == 1:
        replacement = rule(result.parts[0][0][0])
        if replacement is not None:
            return replacement
    return result


def without_modulo(poly: Poly) -> Poly:
    """Eliminate modulo: replace every `x mod k` by `x - k * (x div k)`."""

    def rule(atom: Atom) -> Poly | None:
        if isinstance(atom, Quotient) and atom.op == "mod":
            return atom.a - atom.b * div(atom.a, atom.b)
        return None

    return rewritten(poly, rule)


def substituted(poly: Poly, values: Mapping[str, Poly]) -> Poly:
    """Replace some variables of a polynomial."""
    return rewritten(poly, lambda atom: values.get(atom.name) if isinstance(atom, Variable) else None)


def atoms(poly: Poly) -> Iterator[Atom]:
    """Yield all atoms of a polynomial at any depth, inner ones first."""
    for monomial, _ in poly.parts:
        for atom in monomial:
            for inner in _inside(atom):
                yield from atoms(inner)
            yield atom


def _inside(atom: Atom) -> tuple[Poly, ...]:
    if isinstance(atom, Quotient):
        return atom.a, atom.b
    if isinstance(atom, Power):
        return (atom.exponent,)
    if isinstance(atom, Choice):
        return atom.condition.a, atom.condition.b, atom.yes, atom.no
    return ()


def variables(poly: Poly) -> set[str]:
    """Return the names of the unknowns."""
    return {a.name for a in atoms(poly) if isinstance(a, Variable)}


def _order(monomial: Monomial) -> tuple[bool, int, str]:
    return not monomial, len(monomial), " * ".join(map(str, monomial))


def _atomic(poly: Poly) -> str:
    text = str(poly)
    return text if text.isidentifier() or text.isdigit() or (text and text[0] == "(") else f"({text})"


def _text(poly: Poly) -> str:
    pieces = []
    for monomial, factor in poly.parts:
        words = [f"({a})" if isinstance(a, Quotient) else str(a) for a in monomial]
        if abs(factor) != 1 or not words:
            words.insert(0, str(abs(factor)))
        sign = "-" if factor < 0 else "+"
        pieces.append((sign, " * ".join(words)))
    if not pieces:
        return "0"
    first = ("-" if pieces[0][0] == "-" else "") + pieces[0][1]
    return " ".join([first, *(f"{sign} {words}" for sign, words in pieces[1:])])
