"""Prove that addresses of a work-item loop are regular, always or on a condition.

Every address that differs between lanes in a way that `analysis/lanes.py` does not follow is a query to the
prover (`weft/smt`): are the addresses of W lanes consecutive, equal, reversed, strided, or a permutation of
neighbours? Here, such addresses are called regular. Results that hold for all inputs become known facts.
Results that hold on a condition on uniform inputs, such as `step % 16 == 0`, make a case, for which the loop
gets a variant (`vectorize_loop`).

The conditions of all addresses are merged into one, so a loop has one variant in which all addresses are
regular. A second variant is for addresses that are regular by quarters of the lanes; if not all have
quarters, it is for the largest set of addresses that share a condition.

(Karrenberg, Košta and Sturm, *Presburger arithmetic in memory access optimization for data-parallel
languages*, 2013, section 5; there the case distinction was written by hand.)
"""

from collections.abc import Sequence
from functools import cached_property

from weft.analysis.address_terms import AddressTerm, NotExpressible, Terms, loop_terms
from weft.analysis.evolution import Evolution
from weft.analysis.lanes import LANE, NOTHING_ASSUMED, Assumed, Lanes, Pieces
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

from .counted_loop import require_work_item_range, work_item_lanes
from .emit_term import emit_term
from .wide_pieces import serves_all

# Maximal number of addresses per loop; those at uniform offsets from each other count once.
MOST_ADDRESSES = 32
_LINEAR_KINDS = (CONSECUTIVE, EQUAL, REVERSED, STRIDE)
_HIDING = ("udiv", "sdiv", "urem", "srem", "xor", "lshr", "ashr")
_USEFUL = (*ONE_ACCESS, STRIDE)
# Arguments of work-group functions (`work_group_function.SIGNATURE`): the range of work-items, and the memory
# of context arrays.
_LAUNCH, _CONTEXT = 0, 3
# Parts of the lanes whose addresses are regular in the second variant.
PARTS = 4


@dataclass(frozen=True)
class Case:
    """Addresses that are regular if some statements about uniform inputs hold."""

    assumed: Assumed
    atoms: tuple[Atom, ...]
    inputs: dict[str, Value]

    @property
    def of_arguments(self) -> frozenset[Atom]:
        """The statements that are not about the range of work-items."""
        return frozenset(a for a in self.atoms if not all(self._tells_range(t) for t in walk(a.term)))

    def _tells_range(self, term: Term) -> bool:
        value = self.inputs[term.key] if term.op == INPUT else None
        root = _root(value) if isinstance(value, Instruction) and value.opcode == "load" else None
        return value is None or (root is not None and root.index == _LAUNCH)

    def emit(self, b: Builder) -> Value:
        """Emit the condition as code."""
        result: Value | None = None
        inputs = {key: _frozen(b, value) for key, value in self.inputs.items()}
        for atom in self.atoms:
            holds = emit_term(b, atom.condition, inputs)
            result = holds if result is None else b.binary("and", result, holds)
        assert result is not None
        return result

    def __str__(self) -> str:
        return " && ".join(str(atom) for atom in self.atoms)


@dataclass(frozen=True)
class ProvedCases:
    """Facts about addresses that hold for all inputs, and cases, best first, for one number of lanes."""

    always: Assumed
    cases: tuple[Case, ...]


NOTHING = ProvedCases(NOTHING_ASSUMED, ())


@dataclass
class ProofBudget:
    """The number of queries that may still fail for a kernel; a query takes a millisecond or two.

    Context arrays have their own budget. Proofs about their layout succeed, so failed queries about other
    addresses must not prevent them.
    """

    left: int = 8
    of_context: int = 8

    def allows(self, address: Instruction) -> bool:
        """Return whether the prover may be queried about an address."""
        return (self.of_context if _is_in_context(address) else self.left) > 0

    def charge(self, address: Instruction) -> None:
        """Record that a query about an address failed."""
        if _is_in_context(address):
            self.of_context -= 1
        else:
            self.left -= 1


def _frozen(b: Builder, value: Value) -> Value:
    """Freeze a value that may be poison: a branch will depend on it even if the kernel does not use it.

    Arguments and loaded values are not frozen.
    """
    if isinstance(value, Instruction) and value.opcode != "load":
        return b.emit("freeze", value.type, [value])
    return value


def candidates(loop: Loop, shape: Lanes) -> list[Instruction]:
    """Return the addresses of loads and stores that are varying for the shape analysis."""
    addresses: dict[Instruction, None] = {}
    for block in loop.blocks:
        for i in block.instructions:
            if LANE in i.metadata:
                return []  # lanes have their own columns of private arrays, and no others
            if i.opcode not in ("load", "store") or i.is_ordered:
                continue
            address = i.operands[-1]
            if not isinstance(address, Instruction) or address.opcode != "getelementptr":
                continue
            if address.block in loop.blocks and shape.is_varying(address):
                addresses[address] = None
    return list(addresses) if len({_base(a, loop, shape) for a in addresses}) <= MOST_ADDRESSES else []


def _base(address: Instruction, loop: Loop, shape: Lanes) -> Instruction:
    """Return the first pointer from which an address is derived by uniform offsets."""
    while True:
        base, *indices = address.operands
        if not all(map(shape.is_uniform, indices)) or not isinstance(base, Instruction):
            return address
        if base.opcode != "getelementptr" or base.block not in loop.blocks:
            return address
        address = base


def _is_in_context(address: Instruction) -> bool:
    """Return whether an address lies in a context array."""
    root = base_of(address)
    return isinstance(root, Argument) and root.index == _CONTEXT


def if_proved(loop: Loop, forest: LoopForest, addresses: Sequence[Instruction]) -> Lanes:
    """Return the shapes of a loop as if `addresses` were consecutive, to choose the number of lanes."""
    return work_item_lanes(loop, forest, Assumed({a: Evolution(_size(a)) for a in addresses}, width=0))


def is_hidden(proved: Assumed) -> bool:
    """Return whether LLVM would not detect that addresses are regular.

    LLVM follows sums, multiples and low bits.
    """
    inputs = backward_slice(proved, lambda i: i.opcode not in ("load", "phi", "call"))
    return any(i.opcode in _HIDING for i in inputs)


def proved_cases(
    loop: Loop, shape: Lanes, width: int, addresses: Sequence[Instruction], budget: ProofBudget
) -> ProvedCases:
    """Query the prover about addresses of a loop, for blocks of `width` lanes."""
    return _Prover(loop, shape, width, budget).run(addresses)


def _size(address: Instruction) -> int:
    return size_of(_accesses(address)[0].accessed_type)


def _accesses(address: Instruction) -> list[Instruction]:
    return [u for u in address.users if u.opcode in ("load", "store")]


@dataclass(frozen=True)
class _Proof:
    """An address that is regular on a condition."""

    address: Instruction
    assumed: Evolution | Pieces
    atoms: tuple[Atom, ...]
    inputs: dict[str, Value]


class _Prover:
    def __init__(self, loop: Loop, shape: Lanes, width: int, budget: ProofBudget) -> None:
        self.loop, self.shape, self.width, self.budget = loop, shape, width, budget
        self.counter = require_work_item_range(loop).counter
        self._terms: dict[int, Terms] = {}
        self._provers: dict[int, Prover] = {}

    @cached_property
    def tree(self) -> DominatorTree | None:
        """Computed for the first condition only: functions may have hundreds of work-item loops."""
        function = self.loop.header.parent
        return dominators(function) if _has_guards(function) else None

    def run(self, addresses: Sequence[Instruction]) -> ProvedCases:
        facts: dict[Value, Evolution | Pieces] = {}
        whole: list[_Proof] = []
        parts: list[_Proof] = []
        for address in self._without_bases(addresses, facts)[:MOST_ADDRESSES]:
            if not self.budget.allows(address):
                continue
            fact = self._always(address)
            if fact is not None:
                facts[address] = fact
                continue
            proof = self._on_condition(address, self.width)
            if proof is None:
                self.budget.charge(address)
                continue
            whole.append(proof)
            part = self._on_condition(address, self.width // PARTS) if self.width > PARTS else None
            if part is not None:
                parts.append(part)
        weaker = parts if len(parts) == len(whole) else _largest_group(whole)
        always = Assumed(facts, self.width)
        first, second = _case(always, whole), _case(always, weaker)
        if first is not None and second is not None and _same_but_range(second, first):
            second = None
        return ProvedCases(always, tuple(case for case in (first, second) if case is not None))

    def _without_bases(
        self, addresses: Sequence[Instruction], facts: dict[Value, Evolution | Pieces]
    ) -> list[Instruction]:
        """Query the prover about common bases of addresses first; return the addresses that are left.

        Facts about a base hold for all addresses at uniform offsets from it (`analysis/lanes.py`), so none of
        their pointers has to be computed for each lane.
        """
        derived: dict[Instruction, list[Instruction]] = {}
        for address in addresses:
            base = _base(address, self.loop, self.shape)
            if base is not address:
                derived.setdefault(base, []).append(address)
        left = dict.fromkeys(addresses)
        for base, derived_addresses in derived.items():
            known = self._always(
                base, [access for address in derived_addresses for access in _accesses(address)]
            )
            if isinstance(known, Evolution):
                facts[base] = known
                for address in derived_addresses:
                    del left[address]
            elif _is_in_context(base):
                self.budget.charge(base)
        return [address for address in left if address not in facts]

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
        # Facts from guards must hold where the address is computed, for all its accesses.
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
        verdict = classify(at.term, self.width, at.facts, at.element, prover=prover)
        return self._assumption(address, verdict, at.element)

    def _on_condition(self, address: Instruction, width: int) -> _Proof | None:
        at = self._term(address, width)
        if at is None:
            return None
        prover = self._provers[width]
        conditional = condition(at.term, width, at.facts, at.element, kinds=_USEFUL, prover=prover)
        if conditional is None or not conditional.atoms:
            return None
        assumed = self._assumption(address, conditional.verdict, at.element)
        inputs = self._inputs(conditional.atoms, at.values)
        if assumed is None or inputs is None or not all(_is_likely(atom) for atom in conditional.atoms):
            return None
        return _Proof(address, assumed, conditional.atoms, inputs)

    def _assumption(self, address: Instruction, verdict: Verdict, size: int) -> Evolution | Pieces | None:
        """Return the fact for the vectorizer; None if the verdict is not useful to it."""
        if not verdict.is_yes:
            return None
        count = self.width // verdict.width * verdict.pieces
        if count == 1 and verdict.kind in _LINEAR_KINDS:
            return Evolution(verdict.stride * size, alignment=verdict.alignment)
        stride = verdict.stride if verdict.kind in _LINEAR_KINDS else 1
        places = verdict.places or [stride * lane for lane in range(verdict.width // verdict.pieces)]
        order = tuple((place - places[0]) * size for place in places)
        pieces = Pieces(count, order, verdict.alignment)
        return pieces if serves_all(self.shape, address, pieces) else None

    def _inputs(self, atoms: Sequence[Atom], values: dict[Term, Value]) -> dict[str, Value] | None:
        """Return the values of the inputs of statements; None unless all are known before the loop."""
        inputs = {}
        for leaf in (t for atom in atoms for t in walk(atom.term) if t.op == INPUT):
            value = values.get(leaf)
            if value is None or (isinstance(value, Instruction) and value.block in self.loop.blocks):
                return None
            inputs[leaf.key] = value
        return inputs


def _has_guards(function: Function) -> bool:
    """Return whether there are branches other than those of work-item loops."""
    ends = (b.terminator for b in function.blocks)
    return any(len(end.operands) > 1 and "llvm.loop" not in end.metadata for end in ends)


def _is_likely(atom: Atom) -> bool:
    """Return whether a statement is likely: numbers rarely equal a given value, conditions often do."""
    return atom.relation != "equals" or atom.term.width == 1


def _root(load: Instruction) -> Argument | None:
    """Return the argument of the work-group function from which a value is loaded."""
    address = load.operands[0]
    if isinstance(address, Instruction) and address.opcode == "getelementptr":
        address = address.operands[0]
    return address if isinstance(address, Argument) else None


def _same_but_range(case: Case, other: Case) -> bool:
    """Return whether two cases differ only in statements about where blocks of lanes begin."""
    return case.of_arguments == other.of_arguments


def _largest_group(proofs: Sequence[_Proof]) -> list[_Proof]:
    """Return the largest group of addresses with the same condition."""
    groups: dict[tuple[Atom, ...], list[_Proof]] = {}
    for proof in proofs:
        groups.setdefault(proof.atoms, []).append(proof)
    return max(groups.values(), key=len, default=[])


def _case(always: Assumed, proofs: Sequence[_Proof]) -> Case | None:
    """Return one case for all addresses whose conditions can hold together."""
    atoms: dict[tuple[str, Term], Atom] = {}
    assumed, inputs = dict(always), {}
    for proof in proofs:
        merged = _merged(atoms, proof.atoms)
        if merged is not None:
            atoms = merged
            assumed[proof.address] = proof.assumed
            inputs.update(proof.inputs)
    return Case(Assumed(assumed, always.width), tuple(atoms.values()), inputs) if atoms else None


def _merged(known: dict[tuple[str, Term], Atom], new: Sequence[Atom]) -> dict[tuple[str, Term], Atom] | None:
    """Merge statements, keeping the stronger of two about one term; None if they contradict each other."""
    atoms = dict(known)
    for atom in new:
        before = atoms.get((atom.relation, atom.term))
        if before is not None and atom.relation == "equals" and before.number != atom.number:
            return None
        if before is None or before.number < atom.number:
            atoms[atom.relation, atom.term] = atom
    return atoms
