"""Terms over machine integers, which express the addresses of accesses.

A term has a width in bits and denotes a number modulo 2^width. Its leaves are constants, the lane number (0
for the first lane of a block, 1 for the next) and inputs, which are uniform in a block. Operations are those
of the IR, with its wrap-around and its truncating division; `nsw`, `nuw`, `nneg`, `exact` and `disjoint` have
the same meaning as there, if the facts say that flags hold.

Terms are immutable. Equal terms have equal hashes, which are computed once. Terms share subterms, but some
walks treat them as trees: code that builds terms from programs must bound their `depth` and `size`
(`analysis/address_terms.py`).
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from weft.integers import apply, signed

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
_SYMBOLS: Final = {
    "add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^", "shl": "<<", "lshr": ">>",
    "ashr": ">>s", "udiv": "/", "sdiv": "/s", "urem": "%", "srem": "%s",
}  # fmt: skip
_COMPARISONS: Final = {
    "eq": "==", "ne": "!=", "ult": "<", "ule": "<=", "ugt": ">", "uge": ">=", "slt": "<s", "sle": "<=s",
    "sgt": ">s", "sge": ">=s",
}  # fmt: skip
LARGEST_SIZE: Final = 1 << 30
_NO_FLAGS: Final[frozenset[str]] = frozenset()


class Term:
    """A term; create terms with the functions below, which fold constants."""

    __slots__ = ("_hash", "args", "data", "depth", "flags", "op", "size", "varies", "width")
    op: str
    width: int
    args: "tuple[Term, ...]"
    data: int | str | None  # number of a constant, key of an input, or predicate of a comparison
    flags: frozenset[str]
    varies: bool  # whether it depends on the lane number
    depth: int  # operations on the longest path to a leaf
    size: int  # operations and leaves counted with repetition, up to LARGEST_SIZE

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
        self.depth = 1 + max(a.depth for a in args) if args else 0
        self.size = min(1 + sum(a.size for a in args), LARGEST_SIZE) if args else 1
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
        """The number of a constant, nonnegative; None for other terms."""
        return self.data if isinstance(self.data, int) else None

    @property
    def key(self) -> str:
        """The name of an input."""
        assert self.op == INPUT and isinstance(self.data, str)
        return self.data

    def __str__(self) -> str:
        return text(self)

    def __repr__(self) -> str:
        return f"<{text(self)}: i{self.width}>"


def constant(value: int, width: int) -> Term:
    """Return a number modulo 2^width."""
    return Term(CONST, width, (), value & ((1 << width) - 1))


def lane(width: int) -> Term:
    """Return the lane number: 0, 1, … from the first lane of a block."""
    return Term(LANE, width)


def input_(key: str, width: int) -> Term:
    """Return an input, which is uniform in a block; equal keys denote the same number."""
    return Term(INPUT, width, (), key)


def binary(op: str, a: Term, b: Term, flags: Collection[str] = ()) -> Term:
    """Return an operation on two terms of one width; one that violates its flags is not folded."""
    assert op in BINARY and a.width == b.width, (op, a.width, b.width)
    if isinstance(a.data, int) and isinstance(b.data, int):
        folded = apply(op, a.width, (a.data, b.data), flags=frozenset(flags))
        if folded is not None:
            return constant(folded, a.width)
    return Term(op, a.width, (a, b), None, frozenset(flags))


def compare(predicate: str, a: Term, b: Term) -> Term:
    """Return a comparison, of width 1."""
    assert predicate in _COMPARISONS and a.width == b.width
    if isinstance(a.data, int) and isinstance(b.data, int):
        return constant(apply("icmp", 1, (a.data, b.data), a.width, predicate=predicate) or 0, 1)
    return Term("icmp", 1, (a, b), predicate)


def select(condition: Term, yes: Term, no: Term) -> Term:
    """Return a select."""
    assert condition.width == 1 and yes.width == no.width
    if condition.op == CONST:
        return yes if condition.data else no
    return Term("select", yes.width, (condition, yes, no))


def cast(op: str, a: Term, width: int, flags: Collection[str] = ()) -> Term:
    """Return a `zext`, `sext` or `trunc`, or `a` itself if the width is the same."""
    assert op in CASTS
    if a.width == width:
        return a
    if isinstance(a.data, int):
        folded = apply(op, width, (a.data,), a.width, frozenset(flags))
        if folded is not None:
            return constant(folded, width)
    return Term(op, width, (a,), None, frozenset(flags))


def walk(term: Term) -> Iterator[Term]:
    """Yield every distinct subterm once, operands before users."""
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
    """Return the inputs of a term by key."""
    return {t.key: t for t in walk(term) if t.op == INPUT}


def rebuilt(term: Term, args: tuple[Term, ...]) -> Term:
    """Return the same operation on other operands."""
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
    """Replace subterms of a term."""
    results: dict[Term, Term] = {}
    for at in walk(term):
        replacement = values.get(at)
        results[at] = (
            replacement if replacement is not None else rebuilt(at, tuple(results[a] for a in at.args))
        )
    return results[term]


def with_inputs(term: Term, values: Mapping[str, int]) -> Term:
    """Replace inputs of a term by numbers."""
    constants = {leaf: constant(values[k], leaf.width) for k, leaf in inputs(term).items() if k in values}
    return substitute(term, constants) if constants else term


def at_lane(term: Term, number: int) -> Term:
    """Return the term in one lane."""
    widths = {t.width for t in walk(term) if t.op == LANE}
    return substitute(term, {lane(w): constant(number, w) for w in widths})


def always_needed(term: Term) -> set[Term]:
    """Return the subterms that must be defined for the term to be defined, without operands of selects."""
    needed: set[Term] = set()
    stack = [term]
    while stack:
        at = stack.pop()
        if at not in needed:
            needed.add(at)
            stack += at.args[:1] if at.op == "select" else at.args
    return needed


def text(term: Term) -> str:
    """Format a term: `%` and `/` without a letter are unsigned, `%s` and `/s` signed."""
    number = term.constant
    if number is not None:
        return str(signed(number, term.width) if term.width > 1 else number)
    match term.op:
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
