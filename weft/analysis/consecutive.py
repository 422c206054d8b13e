"""Query the prover whether accesses of a kernel are consecutive for adjacent work-items along x.

The kernel is analysed before it becomes a work-group function, so that terms have the programmer's names:
`gid` and `lid` are the global and local ids along x. Blocks of work-items start at multiples of their width.
"""

from collections.abc import Callable, Iterator
from enum import unique

from weft import ir
from weft.ir import Function, Instruction
from weft.ir.debug import DebugInfo, source_variables
from weft.ir.dominators import dominators
from weft.remarks import Message, Reason
from weft.smt.decide import classify, condition
from weft.smt.facts import Facts
from weft.smt.prover import Prover
from weft.smt.terms import Term, binary, constant, inputs

from .address_terms import AddressTerm, NotExpressible, Terms, kernel_terms
from .naming import Naming
from .shape import X
from .shapes import Shapes, shapes

PRIVATE = "private"


class Prepared:
    """A kernel prepared for queries."""

    def __init__(self, function: Function, shapes: Shapes, naming: Naming) -> None:
        self.kernel, self.function = function.name or "", function
        self.shapes, self.naming = shapes, naming
        self.tree = dominators(function)

    def accesses(self) -> Iterator[Instruction]:
        """Yield the loads and stores that other work-items can observe."""
        for i in self.function.instructions():
            if i.opcode in ("load", "store"):
                pointer = i.operands[0] if i.opcode == "load" else i.operands[1]
                if self.naming.memory(pointer)[0] != PRIVATE:
                    yield i

    def terms(self, width: int) -> Terms:
        """Return the terms of the kernel's addresses, with the names of the source."""
        return kernel_terms(self.shapes, width, self.naming.source_name)

    def address(self, i: Instruction, terms: Terms) -> AddressTerm:
        """Return the address of an access, or raise NotExpressible."""
        assert i.block is not None
        return terms.access(i, self.tree, masked=not self.shapes.runs_uniformly(i.block, X))


def prepared(text: str, kernel: str, local_size: tuple[int, int, int] | None = None) -> Prepared:
    """Prepare a kernel from the output of the front end."""
    module = ir.parse(text)
    function = module.function(kernel)
    debug = DebugInfo(module)
    naming = Naming(kernel, debug, source_variables(text, function, debug))
    return Prepared(function, shapes(function, local_size), naming)


@unique
class Proved(Message):
    """What was proved about the addresses of lanes."""

    ALWAYS = "{verdict}"
    ON_CONDITION = "{verdict} if {condition}"


def quick_proofs(kernel: Prepared, width: int) -> Callable[[Instruction], Reason | None]:
    """Return what the just-in-time compiler would prove of each access; None for nothing."""
    terms, prover = kernel.terms(width), Prover(width)

    def proof(i: Instruction) -> Reason | None:
        try:
            address = kernel.address(i, terms)
        except NotExpressible:
            return None
        offset = without_pointer(address.term)
        verdict = classify(offset, width, address.facts, address.element, prover=prover)
        if verdict.is_yes:
            return Reason(Proved.ALWAYS, verdict=str(verdict))
        under = condition(offset, width, address.facts, address.element, prover=prover)
        if under is None:
            return None
        return Reason(Proved.ON_CONDITION, verdict=str(under.verdict), condition=str(under))

    return proof


def without_pointer(term: Term) -> Term:
    """Return the distance of an address from the object that it points into."""
    if term.op == "input":
        return constant(0, term.width)
    if term.op != "add":
        return term
    first, second = without_pointer(term.args[0]) if _leads_to_pointer(term) else term.args[0], term.args[1]
    return second if first.constant == 0 else binary("add", first, second, term.flags)


def _leads_to_pointer(term: Term) -> bool:
    while term.op == "add":
        term = term.args[0]
    return term.op == "input"


def relevant(facts: Facts, term: Term) -> Facts:
    """Return the facts about inputs of a term."""
    keys = inputs(term).keys()

    def kept(by_term: dict[Term, tuple[int, int]]) -> dict[Term, tuple[int, int]]:
        return {t: v for t, v in by_term.items() if inputs(t).keys() <= keys}

    return Facts(
        kept(dict(facts.ranges)), kept(dict(facts.signed_ranges)), kept(dict(facts.residues)), facts.flags
    )
