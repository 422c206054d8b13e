"""Terms over machine integers: what the address of an access is made of.

A term has a width in bits and means a number modulo 2^width. Its leaves are constants, the lane's number
(0 for the first lane of a block, 1 for the next) and inputs, which all lanes of a block share. Operations are
those of the IR, with its wrap-around and its truncating division; `nsw`, `nuw`, `nneg`, `exact` and
`disjoint` promise what they promise there, if facts say that flags may be believed.

Terms are immutable. Equal terms have equal hashes, which are computed once.
"""

from collections.abc import Iterable, Iterator
from typing import Final

CONST: Final = "const"
LANE: Final = "lane"
INPUT: Final = "input"
SUMS: Final = frozenset(("add", "sub"))
DIVISIONS: Final = frozenset(("udiv", "sdiv", "urem", "srem"))
SHIFTS: Final = frozenset(("shl", "lshr", "ashr"))
BITWISE: Final = frozenset(("and", "or", "xor"))
CHOICES: Final = frozenset(("umin", "umax", "smin", "smax"))
CASTS: Final = frozenset(("zext", "sext", "trunc"))
BINARY: Final = SUMS | {"mul"} | DIVISIONS | SHIFTS | BITWISE | CHOICES
COMMUTATIVE: Final = frozenset(("add", "mul", "and", "or", "xor", "umin", "umax", "smin", "smax"))
_SYMBOLS: Final = {
    "add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^", "shl": "<<", "lshr": ">>",
    "ashr": ">>s", "udiv": "/", "sdiv": "/s", "urem": "%", "srem": "%s",
}  # fmt: skip
_COMPARISONS: Final = {
    "eq": "==", "ne": "!=", "ult": "<", "ule": "<=", "ugt": ">", "uge": ">=", "slt": "<s", "sle": "<=s",
    "sgt": ">s", "sge": ">=s",
}  # fmt: skip
_NO_FLAGS: Final[frozenset[str]] = frozenset()


class Term:
    """A term; make terms with the functions below, which fold constants."""

    __slots__ = ("_hash", "args", "data", "flags", "op", "varies", "width")
    op: str
    width: int
    args: "tuple[Term, ...]"
    data: int | str | None  # a constant's number, an input's key, a comparison's predicate
    flags: frozenset[str]
    varies: bool  # whether the lane's number occurs in it

    def __init__(
        self,
        op: str,
        width: int,
        args: "tuple[Term, ...]" = (),
        data: int | str | None = None,
        flags: frozenset[str] = _NO_FLAGS,
    ) -> None:
        self.op, self.width, self.args, self.data, self.flags = op, width, args, data, flags
        self.varies = op == LANE or any(a.varies for a in args)
        self._hash = hash((op, width, args, data, flags))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Term) or self._hash != other._hash:
            return False
        return (self.op, self.width, self.data, self.flags, self.args) == (
            other.op,
            other.width,
            other.data,
            other.flags,
            other.args,
        )

    @property
    def constant(self) -> int | None:
        """The number of a constant, not negative; None for other terms."""
        return self.data if self.op == CONST else None  # type: ignore[return-value]

    @property
    def key(self) -> str:
        """The name of an input."""
        assert self.op == INPUT
        return self.data  # type: ignore[return-value]

    def __str__(self) -> str:
        return text(self)

    def __repr__(self) -> str:
        return f"<{text(self)}: i{self.width}>"


def constant(value: int, width: int) -> Term:
    """A number modulo 2^width."""
    return Term(CONST, width, (), value & ((1 << width) - 1))


def lane(width: int) -> Term:
    """The lane's number: 0, 1, … from the first lane of a block."""
    return Term(LANE, width)


def input_(key: str, width: int) -> Term:
    """A number that all lanes of a block share; equal keys mean the same number."""
    return Term(INPUT, width, (), key)


def binary(op: str, a: Term, b: Term, flags: Iterable[str] = ()) -> Term:
    """An operation of two terms of one width."""
    assert op in BINARY and a.width == b.width, (op, a.width, b.width)
    if a.op == CONST and b.op == CONST:
        found = apply(op, a.width, (a.data, b.data))  # type: ignore[arg-type]
        if found is not None:
            return constant(found, a.width)
    return Term(op, a.width, (a, b), None, frozenset(flags))


def compare(predicate: str, a: Term, b: Term) -> Term:
    """A comparison, of width 1."""
    assert predicate in _COMPARISONS and a.width == b.width
    if a.op == CONST and b.op == CONST:
        return constant(compared(predicate, a.width, a.data, b.data), 1)  # type: ignore[arg-type]
    return Term("icmp", 1, (a, b), predicate)


def select(condition: Term, yes: Term, no: Term) -> Term:
    """One of two terms."""
    assert condition.width == 1 and yes.width == no.width
    if condition.op == CONST:
        return yes if condition.data else no
    return Term("select", yes.width, (condition, yes, no))


def cast(op: str, a: Term, width: int, flags: Iterable[str] = ()) -> Term:
    """`zext`, `sext` or `trunc`; nothing if the width is the same."""
    assert op in CASTS
    if a.width == width:
        return a
    if a.op == CONST:
        return constant(signed(a.data, a.width) if op == "sext" else a.data, width)  # type: ignore[arg-type]
    return Term(op, width, (a,), None, frozenset(flags))


def signed(value: int, width: int) -> int:
    """A number modulo 2^width as two's complement."""
    return value - (1 << width) if value >> (width - 1) else value


def compared(predicate: str, width: int, a: int, b: int) -> bool:
    """The truth of a comparison of two numbers that are not negative."""
    if predicate[0] == "s":
        a, b = signed(a, width), signed(b, width)
    match predicate[-2:]:
        case "eq":
            return a == b
        case "ne":
            return a != b
        case "lt":
            return a < b
        case "le":
            return a <= b
        case "gt":
            return a > b
    return a >= b


def apply(op: str, width: int, numbers: tuple[int, ...], source_width: int = 0) -> int | None:
    """An operation on numbers, as the machine does it; None where the IR leaves it undefined."""
    size = 1 << width
    a, b = numbers[0], numbers[-1]
    match op:
        case "add":
            return (a + b) % size
        case "sub":
            return (a - b) % size
        case "mul":
            return (a * b) % size
        case "and":
            return a & b
        case "or":
            return a | b
        case "xor":
            return a ^ b
        case "shl":
            return (a << b) % size if b < width else None
        case "lshr":
            return a >> b if b < width else None
        case "ashr":
            return (signed(a, width) >> b) % size if b < width else None
        case "udiv":
            return a // b if b else None
        case "urem":
            return a % b if b else None
        case "sdiv" | "srem":
            return _signed_division(op, width, a, b)
        case "umin":
            return min(a, b)
        case "umax":
            return max(a, b)
        case "smin" | "smax":
            first = signed(a, width) < signed(b, width)
            return a if first == (op == "smin") else b
        case "zext" | "trunc":
            return a % size
        case "sext":
            return signed(a, source_width) % size
        case "select":
            return numbers[1] if a else b
    raise AssertionError(op)


def _signed_division(op: str, width: int, a: int, b: int) -> int | None:
    x, y = signed(a, width), signed(b, width)
    if y == 0 or (y == -1 and a == 1 << (width - 1)):
        return None
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return (quotient if op == "sdiv" else x - y * quotient) % (1 << width)


def walk(term: Term) -> Iterator[Term]:
    """Every different subterm once, operands before what uses them."""
    seen: set[Term] = set()
    stack: list[tuple[Term, bool]] = [(term, False)]
    while stack:
        at, done = stack.pop()
        if done:
            yield at
        elif at not in seen:
            seen.add(at)
            stack.append((at, True))
            stack += [(a, False) for a in reversed(at.args) if a not in seen]


def inputs(term: Term) -> dict[str, Term]:
    """The inputs of a term by their keys."""
    return {t.key: t for t in walk(term) if t.op == INPUT}


def rebuilt(term: Term, args: tuple[Term, ...]) -> Term:
    """The same operation with other operands."""
    if args == term.args:
        return term
    if term.op == "icmp":
        return compare(str(term.data), *args)
    if term.op == "select":
        return select(*args)
    if term.op in CASTS:
        return cast(term.op, args[0], term.width, term.flags)
    return binary(term.op, args[0], args[1], term.flags)


def substitute(term: Term, values: dict[Term, Term]) -> Term:
    """The term with some subterms replaced."""
    done: dict[Term, Term] = {}
    for at in walk(term):
        found = values.get(at)
        done[at] = found if found is not None else rebuilt(at, tuple(done[a] for a in at.args))
    return done[term]


def text(term: Term) -> str:
    """The term as a person writes it: `%` and `/` without a letter are unsigned, `%s` and `/s` signed."""
    match term.op:
        case "const":
            value: int = term.data  # type: ignore[assignment]
            return str(signed(value, term.width) if term.width > 1 else value)
        case "lane":
            return "t"
        case "input":
            return term.key
        case "icmp":
            return _infix(_COMPARISONS[str(term.data)], term)
        case "zext" | "sext" | "trunc":
            return f"{term.op}{term.width}({text(term.args[0])})"
    if term.op in _SYMBOLS:
        return _infix(_SYMBOLS[term.op], term)
    return f"{term.op}({', '.join(text(a) for a in term.args)})"


def _infix(symbol: str, term: Term) -> str:
    return f" {symbol} ".join(
        f"({text(a)})" if a.op in _SYMBOLS or a.op == "icmp" else text(a) for a in term.args
    )
