"""Cases in which the addresses of a work-item loop are proved to be in order, and the conditions for them.

Every address that differs between lanes in a way that `analysis/lanes.py` does not follow is put to the
prover (`weft/smt`): are the addresses of W lanes consecutive, equal, reversed, at a stride, a permutation of
neighbours? What holds for all inputs is simply known. What holds on a condition on uniform inputs, such as
`step % 16 == 0`, makes a case, for which the loop gets a variant (`vectorize_loop`).

The conditions of all addresses are one condition, so that a loop has one variant in which all of them are in
order, and one more in which they are in order by quarters, or, where there are no quarters, in which the most
of them that share a condition are.

(Karrenberg, Košta and Sturm, *Presburger arithmetic in memory access optimization for data-parallel
languages*, 2013, section 5; there the case distinction was written by hand.)
"""

from collections.abc import Sequence
from functools import cached_property

from weft.analysis.address_terms import AddressTerm, NotExpressible, Terms, loop_terms
from weft.analysis.evolution import Evolution
from weft.analysis.lanes import LANE, NOTHING_ASSUMED, Assumed, Lanes, Pieces, lanes
from weft.analysis.memory_effects import base_of
from weft.dataclasses import dataclass, replace
from weft.ir import Argument, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.dominators import DominatorTree, dominators
from weft.ir.loops import Loop, LoopForest
from weft.ir.slices import backward_slice
from weft.ir.types import size_of
from weft.smt.decide import classify, condition
from weft.smt.prover import Prover
from weft.smt.terms import INPUT, Term, walk
from weft.smt.verdict import CONSECUTIVE, EQUAL, ONE_ACCESS, REVERSED, STRIDE, Atom, Verdict

from .counted_loop import counted
from .emit_term import emit_term
from .wide_pieces import serves_all

# Addresses of a loop that are put to the prover, at most; those at uniform offsets from one another are one.
MOST_ADDRESSES = 32
_IN_LINE = (CONSECUTIVE, EQUAL, REVERSED, STRIDE)
_HIDING = ("udiv", "sdiv", "urem", "srem", "xor", "lshr", "ashr")
_USEFUL = (*ONE_ACCESS, STRIDE)
# Arguments of work-group functions (`work_group_function.SIGNATURE`): the range of work-items, and the memory
# that context arrays lie in.
_LAUNCH, _CONTEXT = 0, 3
# Parts of the lanes that are in order in the second variant.
PARTS = 4


@dataclass(frozen=True)
class Case:
    """Addresses that are in order if some statements on uniform inputs hold."""

    assumed: Assumed
    atoms: tuple[Atom, ...]
    inputs: dict[str, Value]

    @property
    def of_arguments(self) -> frozenset[Atom]:
        """The statements on anything but the range of work-items."""
        return frozenset(a for a in self.atoms if not all(self._tells_range(t) for t in walk(a.term)))

    def _tells_range(self, term: Term) -> bool:
        value = self.inputs[term.key] if term.op == INPUT else None
        root = _root(value) if isinstance(value, Instruction) and value.opcode == "load" else None
        return value is None or (root is not None and root.index == _LAUNCH)

    def emit(self, b: Builder) -> Value:
        """The condition as code."""
        found: Value | None = None
        inputs = {key: _settled(b, value) for key, value in self.inputs.items()}
        for atom in self.atoms:
            holds = emit_term(b, atom.condition, inputs)
            found = holds if found is None else b.binary("and", found, holds)
        assert found is not None
        return found

    def __str__(self) -> str:
        return " && ".join(str(atom) for atom in self.atoms)


@dataclass(frozen=True)
class ProvedCases:
    """What is known of addresses for all inputs, and cases, the best first; of blocks of as many lanes."""

    always: Assumed
    cases: tuple[Case, ...]


NOTHING = ProvedCases(NOTHING_ASSUMED, ())


@dataclass
class ProofBudget:
    """How many more queries about addresses of a kernel may fail: each takes a millisecond or two.

    Context arrays have a budget of their own. Their layout is one for which a proof succeeds, so however much
    was asked about other addresses, they are asked about as well.
    """

    left: int = 8
    of_context: int = 8

    def allows(self, address: Instruction) -> bool:
        """Whether the prover may be queried about an address."""
        return (self.of_context if _is_in_context(address) else self.left) > 0

    def charge(self, address: Instruction) -> None:
        """Note that a query about an address failed."""
        if _is_in_context(address):
            self.of_context -= 1
        else:
            self.left -= 1


def _settled(b: Builder, value: Value) -> Value:
    """A value on which a branch may depend though nothing says that the kernel uses it.

    Arguments of the kernel are numbers; other values may be poison.
    """
    if isinstance(value, Instruction) and value.opcode != "load":
        return b.emit("freeze", value.type, [value])
    return value


def candidates(loop: Loop, shape: Lanes) -> list[Instruction]:
    """The addresses of loads and stores that differ between lanes in a way that is not known."""
    found: dict[Instruction, None] = {}
    for block in loop.blocks:
        for i in block.instructions:
            if LANE in i.metadata:
                return []  # private arrays have columns for lanes, and no others
            if i.opcode not in ("load", "store") or i.is_ordered:
                continue
            address = i.operands[-1]
            if not isinstance(address, Instruction) or address.opcode != "getelementptr":
                continue
            if address.block in loop.blocks and shape.is_varying(address):
                found[address] = None
    return list(found) if len({_base(a, loop, shape) for a in found}) <= MOST_ADDRESSES else []


def _base(address: Instruction, loop: Loop, shape: Lanes) -> Instruction:
    """The first of the pointers that an address is made from by uniform offsets."""
    while True:
        base, *indices = address.operands
        if not all(map(shape.is_uniform, indices)) or not isinstance(base, Instruction):
            return address
        if base.opcode != "getelementptr" or base.block not in loop.blocks:
            return address
        address = base


def _is_in_context(address: Instruction) -> bool:
    """Whether an address is one of a context array."""
    root = base_of(address)
    return isinstance(root, Argument) and root.index == _CONTEXT


def if_proved(function: Function, loop: Loop, forest: LoopForest, addresses: Sequence[Instruction]) -> Lanes:
    """The lanes of a loop as they would be if addresses were consecutive, for choosing their number."""
    counter, _ = counted(loop)
    assumed = Assumed({a: Evolution(_size(a)) for a in addresses}, width=0)
    return lanes(function, loop, counter, forest, assumed)


def is_hidden(proved: Assumed) -> bool:
    """Whether LLVM would not see that addresses are in order: it follows sums, multiples and low bits."""
    made_of = backward_slice(proved, lambda i: i.opcode not in ("load", "phi", "call"))
    return any(i.opcode in _HIDING for i in made_of)


def proved_cases(
    function: Function,
    loop: Loop,
    shape: Lanes,
    width: int,
    addresses: Sequence[Instruction],
    budget: ProofBudget,
) -> ProvedCases:
    """Puts addresses of a loop to the prover, for blocks of `width` lanes."""
    return _Prover(function, loop, shape, width, budget).run(addresses)


def _size(address: Instruction) -> int:
    return size_of(_accesses(address)[0].accessed_type)


def _accesses(address: Instruction) -> list[Instruction]:
    return [u for u in address.users if u.opcode in ("load", "store")]


@dataclass(frozen=True)
class _Found:
    """An address that is in order on a condition."""

    address: Instruction
    assumed: Evolution | Pieces
    atoms: tuple[Atom, ...]
    inputs: dict[str, Value]


class _Prover:
    def __init__(self, function: Function, loop: Loop, shape: Lanes, width: int, budget: ProofBudget) -> None:
        self.loop, self.shape, self.width, self.budget = loop, shape, width, budget
        self.counter, _ = counted(loop)
        self.function = function
        self._terms: dict[int, Terms] = {}
        self._provers: dict[int, Prover] = {}

    @cached_property
    def tree(self) -> DominatorTree | None:
        """Made for the first condition: functions may have hundreds of work-item loops."""
        return dominators(self.function) if _has_guards(self.function) else None

    def run(self, addresses: Sequence[Instruction]) -> ProvedCases:
        found: dict[Value, Evolution | Pieces] = {}
        whole: list[_Found] = []
        parts: list[_Found] = []
        for address in self._without_bases(addresses, found)[:MOST_ADDRESSES]:
            if not self.budget.allows(address):
                continue
            known = self._always(address)
            if known is not None:
                found[address] = known
                continue
            proof = self._on_condition(address, self.width)
            if proof is None:
                self.budget.charge(address)
                continue
            whole.append(proof)
            part = self._on_condition(address, self.width // PARTS) if self.width > PARTS else None
            if part is not None:
                parts.append(part)
        weaker = parts if len(parts) == len(whole) else _most_alike(whole)
        always = Assumed(found, self.width)
        first, second = _case(always, whole), _case(always, weaker)
        if first is not None and second is not None and _says_as_much(second, first):
            second = None
        return ProvedCases(always, tuple(case for case in (first, second) if case is not None))

    def _without_bases(
        self, addresses: Sequence[Instruction], found: dict[Value, Evolution | Pieces]
    ) -> list[Instruction]:
        """Puts common bases of addresses to the prover first; returns the addresses that are left to it.

        What is known of a base is known of all addresses at uniform offsets from it (`analysis/lanes.py`),
        and none of their pointers need be computed for each lane.
        """
        derived: dict[Instruction, list[Instruction]] = {}
        for address in addresses:
            base = _base(address, self.loop, self.shape)
            if base is not address:
                derived.setdefault(base, []).append(address)
        left = dict.fromkeys(addresses)
        for base, those in derived.items():
            known = self._always(base, [access for address in those for access in _accesses(address)])
            if isinstance(known, Evolution):
                found[base] = known
                for address in those:
                    del left[address]
            elif _is_in_context(base):
                self.budget.charge(base)
        return [address for address in left if address not in found]

    def _term(
        self, address: Instruction, width: int, accesses: Sequence[Instruction] = ()
    ) -> AddressTerm | None:
        accesses = accesses or _accesses(address)
        masked = any(i.block in self.shape.masked for i in (address, *accesses))
        if width not in self._terms:
            self._terms[width] = loop_terms(self.loop, self.counter, self.shape, width)
            self._provers[width] = Prover(width)
        terms = self._terms[width]
        try:
            at = terms.address(address, accesses[0].accessed_type, masked)
        except NotExpressible:
            return None
        if self.tree is None:
            return at
        # What guards say must hold where the address is computed, for all accesses that it is for.
        facts = terms.guarded(address.parent, self.tree)
        if facts is terms.facts:
            return at
        return replace(at, facts=replace(facts, flags=not masked))

    def _always(
        self, address: Instruction, accesses: Sequence[Instruction] = ()
    ) -> Evolution | Pieces | None:
        at = self._term(address, self.width, accesses)
        if at is None:
            return None
        prover = self._provers[self.width]
        found = classify(at.term, self.width, at.facts, at.element, prover=prover)
        return self._assumption(address, found, at.element)

    def _on_condition(self, address: Instruction, width: int) -> _Found | None:
        at = self._term(address, width)
        if at is None:
            return None
        prover = self._provers[width]
        found = condition(at.term, width, at.facts, at.element, kinds=_USEFUL, prover=prover)
        if found is None or not found.atoms:
            return None
        assumed = self._assumption(address, found.verdict, at.element)
        inputs = self._inputs(found.atoms, at.values)
        if assumed is None or inputs is None or not all(_is_likely(atom) for atom in found.atoms):
            return None
        return _Found(address, assumed, found.atoms, inputs)

    def _assumption(self, address: Instruction, verdict: Verdict, size: int) -> Evolution | Pieces | None:
        """The assumption for the vectorizer; None if the result is of no use to it."""
        if not verdict.is_yes:
            return None
        count = self.width // verdict.width * verdict.pieces
        if count == 1 and verdict.kind in _IN_LINE:
            return Evolution(verdict.stride * size, alignment=verdict.alignment)
        stride = verdict.stride if verdict.kind in _IN_LINE else 1
        places = verdict.places or [stride * lane for lane in range(verdict.width // verdict.pieces)]
        order = tuple((place - places[0]) * size for place in places)
        pieces = Pieces(count, order, verdict.alignment)
        return pieces if serves_all(self.shape, address, pieces) else None

    def _inputs(self, atoms: Sequence[Atom], values: dict[Term, Value]) -> dict[str, Value] | None:
        """The values of the inputs of statements, if all of them are known before the loop."""
        found = {}
        for leaf in (t for atom in atoms for t in walk(atom.term) if t.op == INPUT):
            value = values.get(leaf)
            if value is None or (isinstance(value, Instruction) and value.block in self.loop.blocks):
                return None
            found[leaf.key] = value
        return found


def _has_guards(function: Function) -> bool:
    """Whether there are branches other than those of work-item loops."""
    ends = (b.terminator for b in function.blocks)
    return any(len(end.operands) > 1 and "llvm.loop" not in end.metadata for end in ends)


def _is_likely(atom: Atom) -> bool:
    """Whether a statement may well hold: a number has a certain value rarely, a condition often."""
    return atom.relation != "equals" or atom.term.width == 1


def _root(load: Instruction) -> Argument | None:
    """The argument of the work-group function that a value is loaded from."""
    address = load.operands[0]
    if isinstance(address, Instruction) and address.opcode == "getelementptr":
        address = address.operands[0]
    return address if isinstance(address, Argument) else None


def _says_as_much(case: Case, other: Case) -> bool:
    """Whether two cases differ in nothing but what they say about where blocks of lanes begin."""
    return case.of_arguments == other.of_arguments


def _most_alike(found: Sequence[_Found]) -> list[_Found]:
    """The addresses with the condition that most of them have."""
    groups: dict[tuple[Atom, ...], list[_Found]] = {}
    for proof in found:
        groups.setdefault(proof.atoms, []).append(proof)
    return max(groups.values(), key=len, default=[])


def _case(always: Assumed, found: Sequence[_Found]) -> Case | None:
    """One case for all addresses whose conditions can hold together."""
    atoms: dict[tuple[str, Term], Atom] = {}
    assumed, inputs = dict(always), {}
    for proof in found:
        merged = _merged(atoms, proof.atoms)
        if merged is not None:
            atoms = merged
            assumed[proof.address] = proof.assumed
            inputs.update(proof.inputs)
    return Case(Assumed(assumed, always.width), tuple(atoms.values()), inputs) if atoms else None


def _merged(known: dict[tuple[str, Term], Atom], new: Sequence[Atom]) -> dict[tuple[str, Term], Atom] | None:
    """Statements together; of two on one term the stronger; None if they exclude one another."""
    found = dict(known)
    for atom in new:
        before = found.get((atom.relation, atom.term))
        if before is not None and atom.relation == "equals" and before.number != atom.number:
            return None
        if before is None or before.number < atom.number:
            found[atom.relation, atom.term] = atom
    return found
