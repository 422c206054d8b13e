"""Random terms over a block of lanes and one input, and what they are in every block for every input."""

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from weft.smt.facts import Facts
from weft.smt.studies.arrays import Array, evaluate_arrays
from weft.smt.terms import Term, binary, cast, compare, constant, input_, lane, select
from weft.smt.verdict import Verdict

OPERATIONS = (
    "add", "add", "add", "sub", "mul", "shl", "lshr", "ashr", "and", "and", "or", "xor", "udiv", "udiv",
    "sdiv", "urem", "urem", "srem", "umin", "umax", "smin", "smax",
)  # fmt: skip
PREDICATES = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
NUMBERS = (0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 100, 127, 128, 254, 255)


@dataclass(frozen=True)
class Query:
    """A term that addresses of elements are, with facts about its inputs."""

    bits: int
    width: int
    term: Term
    element: int
    facts: Facts


def random_query(seed: int, bits: int = 8) -> Query:
    """The query of a seed."""
    return _Maker(random.Random(seed), bits).query()


class _Maker:
    def __init__(self, rng: random.Random, bits: int) -> None:
        self.rng, self.bits = rng, bits
        self.width = rng.choice((2, 4, 8))
        self.block, self.input = input_("block", bits), input_("a", bits)
        index = binary("add", self.block, lane(bits), ("nuw",))
        power = binary("shl", constant(1, bits), self.input)
        self.leaves: list[Callable[[], Term]] = [
            lambda: index,
            lambda: index,
            lambda: self.input,
            lambda: constant(rng.choice(NUMBERS), bits),
            lambda: constant(rng.randrange(1 << bits), bits),
            lambda: power,
            lambda: lane(bits),
        ]

    def query(self) -> Query:
        rng, bits = self.rng, self.bits
        facts = Facts(flags=rng.random() < 0.8).with_residue(self.block, self.width)
        if rng.random() < 0.3:
            facts = facts.with_residue(self.input, rng.choice((2, 4, 8)))
        if rng.random() < 0.3:
            low = rng.randrange(1 << bits)
            facts = facts.with_range(self.input, low, rng.randrange(low, 1 << bits))
        if rng.random() < 0.1:
            low = rng.randrange(-(1 << bits >> 1), 1 << bits >> 1)
            facts = facts.with_range(self.input, low, rng.randrange(low, 1 << bits >> 1), signed=True)
        element = rng.choice((1, 1, 1, 2, 4))
        term = self.term(rng.randrange(1, 5))
        if element > 1:
            term = binary("mul", term, constant(element, term.width))
        return Query(bits, self.width, term, element, facts)

    def term(self, depth: int) -> Term:
        rng = self.rng
        if depth == 0 or rng.random() < 0.12:
            return rng.choice(self.leaves)()
        kind = rng.random()
        if kind < 0.06:
            condition = compare(rng.choice(PREDICATES), self.term(depth - 1), self.term(depth - 1))
            return select(condition, self.term(depth - 1), self.term(depth - 1))
        if kind < 0.14:
            return self.resized(self.term(depth - 1))
        op = rng.choice(OPERATIONS)
        a, b = self.term(depth - 1), self.term(depth - 1)
        if op in ("shl", "lshr", "ashr") and rng.random() < 0.7:
            b = constant(rng.randrange(self.bits), self.bits)
        return binary(op, a, b, self.flags(op))

    def resized(self, term: Term) -> Term:
        """There and back through another width."""
        rng, bits = self.rng, self.bits
        extend = rng.choice(("zext", "sext"))
        if rng.random() < 0.5:
            narrow = cast("trunc", term, bits // 2, rng.choice(((), (), ("nsw",), ("nuw",))))
            return cast(extend, narrow, bits, ("nneg",) if extend == "zext" and rng.random() < 0.2 else ())
        wide = bits + bits // 2
        number = constant(rng.choice((1, 2, 3, 4, 8)), wide)
        made = binary(rng.choice(("add", "mul", "lshr", "udiv", "sdiv")), cast(extend, term, wide), number)
        return cast("trunc", made, bits)

    def flags(self, op: str) -> tuple[str, ...]:
        rng = self.rng
        if op in ("add", "sub", "mul", "shl"):
            return tuple(f for f in ("nsw", "nuw") if rng.random() < 0.3)
        if op == "or" and rng.random() < 0.1:
            return ("disjoint",)
        return ("exact",) if op in ("lshr", "ashr", "udiv", "sdiv") and rng.random() < 0.05 else ()


class Everything:
    """The addresses of a query in all blocks for all inputs (or for some), and where they are defined."""

    def __init__(self, query: Query, some: Array | None = None) -> None:
        bits, width = query.bits, query.width
        self.query = query
        inputs = np.arange(1 << bits) if some is None else some
        self.lane = np.arange(width)[None, None, :]
        self.inputs = {"block": np.arange(0, 1 << bits, width)[:, None, None], "a": inputs[None, :, None]}
        self.shape = ((1 << bits) // width, len(inputs), width)
        self.addresses, defined = self.of(query.term)
        self.holds = defined.all(axis=2) & self._facts()

    def of(self, term: Term) -> tuple[Array, Array]:
        values, defined = evaluate_arrays(term, self.lane, self.inputs, self.query.facts.flags)
        return np.broadcast_to(values, self.shape), np.broadcast_to(defined, self.shape)

    def _facts(self) -> Array:
        facts = self.query.facts
        held = np.ones(self.shape[:2], bool)
        for term, (low, high) in facts.ranges.items():
            values, defined = self.of(term)
            held &= ((values >= low) & (values <= high) & defined).all(axis=2)
        for term, (low, high) in facts.signed_ranges.items():
            values, defined = self.of(term)
            numbers = values.astype(np.int64)
            numbers = np.where(numbers >> (term.width - 1), numbers - (1 << term.width), numbers)
            held &= ((numbers >= low) & (numbers <= high) & defined).all(axis=2)
        for term, (modulus, rest) in facts.residues.items():
            values, defined = self.of(term)
            held &= ((values % np.uint64(modulus) == rest) & defined).all(axis=2)
        return held

    def where(self, condition: Term) -> Array:
        """The blocks and inputs for which a condition holds beside the facts."""
        values, defined = self.of(condition)
        return self.holds & ((values == 1) & defined).all(axis=2)

    def against(self, verdict: Verdict, among: Array | None = None) -> str:
        """The first block that a verdict is wrong about, in words; nothing if there is none."""
        among = self.holds if among is None else among
        wrong = among & ~self._right(verdict)
        if not wrong.any():
            return ""
        block, number = np.argwhere(wrong)[0]
        q = self.query
        return (
            f"{q.term} with {q.facts.lines()} (flags: {q.facts.flags}) is not {verdict} of {q.element} bytes "
            f"(alignment {verdict.alignment}) for {q.width} lanes: block {block * q.width}, "
            f"a = {self.inputs['a'].ravel()[number]}: {self.addresses[block, number]}"
        )

    def _right(self, verdict: Verdict) -> Array:
        width, size = self.query.width, 1 << self.query.term.width
        part = width // verdict.pieces
        places = np.array([_place(verdict, lane) for lane in range(part)] * verdict.pieces, np.int64)
        lowest = int(places[:part].argmin())
        first = np.repeat(self.addresses[:, :, lowest::part], part, axis=2)
        expected = (places * self.query.element).astype(np.uint64)
        right = (self.addresses - first - expected) % np.uint64(size) == 0
        aligned = self.addresses[:, :, lowest::part] % np.uint64(min(verdict.alignment, size)) == 0
        return right.all(axis=2) & aligned.all(axis=2)


def _place(verdict: Verdict, lane: int) -> int:
    """Where a lane's element is, counted from the lowest address."""
    match verdict.kind:
        case "consecutive" | "pieces":
            return lane
        case "equal":
            return 0
        case "permutation" | "pattern":
            return verdict.places[lane]
    step = verdict.stride
    return step * lane - min(step * (verdict.width - 1), 0)
