"""Write queries as SMT-LIB problems, satisfiable if some block's addresses are not consecutive.

There are two forms. *Bit vectors* model machine arithmetic exactly. *Integers* are the paper's form: `div`
and `mod` of SMT-LIB, with or without modulo elimination; exact where the translation is (`presburger.py`).
Facts and flags become assertions. The paper's problems ignore machine arithmetic: they are the integers
without these assertions (`bounded=False`).
"""

from collections.abc import Iterable, Sequence

from ..facts import Facts
from ..terms import Term, always_needed, at_lane, inputs, walk
from .integers import Atom, Choice, Comparison, Poly, Power, Quotient, Variable, number, without_modulo
from .presburger import Integers, NotPresburger

_BITS = {
    "add": "bvadd", "sub": "bvsub", "mul": "bvmul", "and": "bvand", "or": "bvor", "xor": "bvxor",
    "shl": "bvshl", "lshr": "bvlshr", "ashr": "bvashr", "udiv": "bvudiv", "sdiv": "bvsdiv",
    "urem": "bvurem", "srem": "bvsrem",
}  # fmt: skip
_PREDICATES = {
    "ult": "bvult", "ule": "bvule", "ugt": "bvugt", "uge": "bvuge", "slt": "bvslt", "sle": "bvsle",
    "sgt": "bvsgt", "sge": "bvsge",
}  # fmt: skip
_CHOICES = {"umin": "bvule", "umax": "bvuge", "smin": "bvsle", "smax": "bvsge"}


def integer_problem(
    term: Term,
    width: int,
    facts: Facts,
    element: int = 1,
    *,
    lanes: Sequence[int] | None = None,
    eliminate: bool = True,
    bounded: bool = True,
) -> str:
    """Write the problem over integers; raise NotPresburger for terms that integers do not express.

    `lanes`: only the steps from these lanes to the next; the paper queries them in sequence.
    """
    integers = Integers(range(width), facts)
    steps = range(width - 1) if lanes is None else lanes
    wrong = []
    for lane in steps:
        one, two = (integers.read(at_lane(term, at)) for at in (lane, lane + 1))
        if eliminate:
            gap = without_modulo(two - one) - number(element)
            wrong.append(f"(not (= {_poly(gap)} 0))")
        else:
            wrong.append(f"(not (= (+ {_poly(one)} {element}) {_poly(two)}))")
    stated = [_range(variable_range) for variable_range in _ranges(term, facts, integers, bounded)]
    stated += [f"(= (mod {_poly(integers.read(t))} {m}) {r})" for t, (m, r) in facts.residues.items()]
    if bounded:
        for promised, low, high in integers.promises:
            poly = without_modulo(promised) if eliminate else promised
            stated.append(_range((_poly(poly), low, high)))
    names = sorted(facts.inputs(term))
    logic = "ALL" if "2^" in "".join(wrong) else "QF_NIA" if _has_products(wrong) else "QF_LIA"
    return _script(logic, [f"(declare-const {_name(n)} Int)" for n in names], stated, wrong)


def _ranges(
    term: Term, facts: Facts, integers: Integers, bounded: bool
) -> Iterable[tuple[str, int, int | None]]:
    every = facts.inputs(term)
    for key, leaf in every.items():
        yield _name(key), 0, (1 << leaf.width) - 1 if bounded else None
    for t, (low, high) in facts.ranges.items():
        if bounded or not inputs(t).keys() <= {"block", "global_block", "local_block"}:
            yield _poly(integers.read(t)), low, high
    for t, (low, high) in facts.signed_ranges.items():
        yield _poly(integers.read(t, True)), low, high


def _range(bounds: tuple[str, int, int | None]) -> str:
    what, low, high = bounds
    least = f"(<= {_number(low)} {what})"
    return least if high is None else f"(and {least} (<= {what} {_number(high)}))"


def _has_products(texts: Iterable[str]) -> bool:
    return any("(* (" in text or "(*  " in text for text in texts)


def _script(logic: str, declared: list[str], stated: list[str], wrong: list[str]) -> str:
    lines = [f"(set-logic {logic})", *declared, *(f"(assert {s})" for s in stated)]
    lines.append(f"(assert (or {' '.join(wrong)}))" if len(wrong) != 1 else f"(assert {wrong[0]})")
    return "\n".join([*lines, "(check-sat)", ""])


def _name(key: str) -> str:
    return key if key.isidentifier() else f"|{key.replace('|', '')}|"


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def _poly(poly: Poly) -> str:
    words = []
    for monomial, factor in poly.parts:
        factors = [_atom(a) for a in monomial]
        if factor != 1 or not factors:
            factors.insert(0, _number(factor))
        words.append(factors[0] if len(factors) == 1 else f"(* {' '.join(factors)})")
    if not words:
        return "0"
    return words[0] if len(words) == 1 else f"(+ {' '.join(words)})"


def _atom(atom: Atom) -> str:
    if isinstance(atom, Variable):
        return _name(atom.name)
    if isinstance(atom, Quotient):
        return f"({atom.op} {_poly(atom.a)} {_poly(atom.b)})"
    if isinstance(atom, Power):
        raise NotPresburger("a power of an unknown number")
    assert isinstance(atom, Choice)
    return f"(ite {_comparison(atom.condition)} {_poly(atom.yes)} {_poly(atom.no)})"


def _comparison(condition: Comparison) -> str:
    return f"({condition.op} {_poly(condition.a)} {_poly(condition.b)})"


# Bit vectors


def bit_vector_problem(
    term: Term, width: int, facts: Facts, element: int = 1, offsets: Sequence[int] | None = None
) -> str:
    """Write the problem in machine arithmetic; it is satisfiable if address distances are not as expected.

    `offsets`: the expected address of each lane, in bytes from the lowest; by default, of consecutive
    elements.
    """
    offsets = offsets or [element * lane for lane in range(width)]
    writer = _BitVectors(facts.flags)
    first = list(offsets).index(0)
    addresses = [writer.of(at_lane(term, lane)) for lane in range(width)]
    size = 1 << term.width
    wrong = [
        f"(not (= (bvsub {addresses[lane]} {addresses[first]}) {_bits(offset % size, term.width)}))"
        for lane, offset in enumerate(offsets)
        if lane != first
    ]
    stated = []
    for lane in range(width):
        for t in facts.terms():
            if lane and not t.varies:
                continue
            stated += writer.fact(at_lane(t, lane), t, facts)
    every = facts.inputs(term)
    declared = [f"(declare-const {_name(k)} (_ BitVec {v.width}))" for k, v in sorted(every.items())]
    return _script("QF_BV", [*declared, *writer.definitions], [*writer.promises, *stated], wrong or ["false"])


class _BitVectors:
    """Writes terms as definitions, each subterm once, and the guarantees of their flags."""

    def __init__(self, flags: bool) -> None:
        self.flags = flags
        self.definitions: list[str] = []
        self.promises: list[str] = []
        self._names: dict[Term, str] = {}
        self._promised: set[Term] = set()

    def of(self, term: Term) -> str:
        """Return the name of a term; guarantees of its flags become assertions."""
        needed = always_needed(term)
        for at in walk(term):
            if at not in self._names:
                self._names[at] = self._written(at)
            if at in needed and at not in self._promised and at.args:
                self._promised.add(at)
                self._promise(at, [self._names[a] for a in at.args], self._names[at])
        return self._names[term]

    def fact(self, term: Term, key: Term, facts: Facts) -> list[str]:
        """Return the facts about a term, here in one lane."""
        name, width = self.of(term), term.width
        assertions = []
        if key in facts.ranges:
            low, high = facts.ranges[key]
            assertions += [f"(bvule {_bits(low, width)} {name})", f"(bvule {name} {_bits(high, width)})"]
        if key in facts.signed_ranges:
            low, high = facts.signed_ranges[key]
            assertions += [f"(bvsle {_bits(low, width)} {name})", f"(bvsle {name} {_bits(high, width)})"]
        if key in facts.residues:
            modulus, residue = facts.residues[key]
            if modulus >> width == 0:
                mask = _bits(modulus - 1, width)
                assertions.append(f"(= (bvand {name} {mask}) {_bits(residue, width)})")
            else:
                assertions.append(f"(= {name} {_bits(residue, width)})")
        return assertions

    def _written(self, term: Term) -> str:
        if term.op == "input":
            return _name(term.key)
        if term.constant is not None:
            return _bits(term.constant, term.width)
        args = [self._names[a] for a in term.args]
        name = f"v{len(self.definitions)}"
        body = self._operation(term, args)
        self.definitions.append(f"(define-fun {name} () (_ BitVec {term.width}) {body})")
        return name

    @staticmethod
    def _operation(term: Term, args: list[str]) -> str:
        op, width = term.op, term.width
        if op in _BITS:
            return f"({_BITS[op]} {args[0]} {args[1]})"
        if op in _CHOICES:
            return f"(ite ({_CHOICES[op]} {args[0]} {args[1]}) {args[0]} {args[1]})"
        match op:
            case "zext":
                return f"((_ zero_extend {width - term.args[0].width}) {args[0]})"
            case "sext":
                return f"((_ sign_extend {width - term.args[0].width}) {args[0]})"
            case "trunc":
                return f"((_ extract {width - 1} 0) {args[0]})"
            case "select":
                return f"(ite (= {args[0]} #b1) {args[1]} {args[2]})"
            case "icmp":
                predicate = str(term.data)
                if predicate in ("eq", "ne"):
                    yes, no = ("#b1", "#b0") if predicate == "eq" else ("#b0", "#b1")
                    return f"(ite (= {args[0]} {args[1]}) {yes} {no})"
                return f"(ite ({_PREDICATES[predicate]} {args[0]} {args[1]}) #b1 #b0)"
        raise AssertionError(op)

    def _promise(self, term: Term, args: list[str], name: str) -> None:
        """Record the conditions under which the result is defined."""
        op, width = term.op, term.width
        a, b = args[0], args[-1]
        if op in ("shl", "lshr", "ashr") and width.bit_length() <= width:
            self.promises.append(f"(bvult {b} {_bits(width, width)})")
        if op in ("udiv", "urem", "sdiv", "srem"):
            self.promises.append(f"(not (= {b} {_bits(0, width)}))")
        if op in ("sdiv", "srem"):
            least, minus = _bits(1 << (width - 1), width), _bits(-1, width)
            self.promises.append(f"(not (and (= {a} {least}) (= {b} {minus})))")
        if self.flags:
            for flag in sorted(term.flags):
                self.promises.append(_promise(flag, term, a, b, name))


def _promise(flag: str, term: Term, a: str, b: str, name: str) -> str:
    op, width, source = term.op, term.width, term.args[0].width
    zero = _bits(0, source)
    if flag == "nneg":
        return f"(bvsge {a} {zero})"
    if flag == "disjoint":
        return f"(= (bvand {a} {b}) {zero})"
    if flag == "exact":
        if op in ("lshr", "ashr"):
            return f"(= (bvshl {name} {b}) {a})"
        return f"(= ({'bvurem' if op == 'udiv' else 'bvsrem'} {a} {b}) {zero})"
    extend = "sign_extend" if flag == "nsw" else "zero_extend"
    if op == "trunc":
        return f"(= ((_ {extend} {source - width}) {name}) {a})"
    if op == "shl":
        return f"(= ({'bvashr' if flag == 'nsw' else 'bvlshr'} {name} {b}) {a})"
    more = width if op == "mul" else 1
    exact = f"({_BITS[op]} ((_ {extend} {more}) {a}) ((_ {extend} {more}) {b}))"
    return f"(= {exact} ((_ {extend} {more}) {name}))"


def _bits(value: int, width: int) -> str:
    return f"(_ bv{value % (1 << width)} {width})"
