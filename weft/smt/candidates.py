"""Statements on inputs that would let the proof go on where it stopped.

A term is not understood where an operation on known lanes gives unknown ones. What is missing there is
always the same: lanes that lie in a cell of 2^k numbers, and a divisor, shift or mask that respects it. So
the addends of the lanes' base must be multiples of 2^k, the divisor a multiple of 2^k, the shift at least k;
and a factor must be 1.
"""

from collections.abc import Iterator

from .solve import Solver
from .terms import BITWISE, CASTS, CHOICES, DIVISIONS, SUMS, Term, walk
from .verdict import Atom


def candidates(term: Term, solver: Solver) -> list[Atom]:
    """The statements that are missing, as far as can be seen from where the proof stopped."""
    found: dict[Atom, None] = {}
    for at in walk(term):
        if not at.varies or solver.of(at).offsets is not None:
            continue
        if all(solver.of(a).offsets is not None for a in at.args):
            found.update(dict.fromkeys(_missing(at, solver)))
    return list(found)


def _missing(term: Term, solver: Solver) -> Iterator[Atom]:
    cell = 1 << max(solver.of(a).spread for a in term.args if a.width > 1).bit_length()
    first = term.args[0]
    if term.op in DIVISIONS:
        yield from _aligned(first, cell, solver)
        yield from _aligned(term.args[1], cell, solver)
    elif term.op in ("lshr", "ashr"):
        yield from _aligned(first, cell, solver)
        if not term.args[1].varies:
            yield Atom("at least", term.args[1], cell.bit_length() - 1)
    elif term.op == "mul":
        yield from (Atom("equals", a, 1) for a in term.args if not a.varies)
    elif term.op == "shl" and not term.args[1].varies:
        yield Atom("equals", term.args[1], 0)
    elif term.op in BITWISE and (end := _end_of_change(term, solver)) is not None:
        yield from _aligned(first, min(cell, end), solver)
    elif term.op in BITWISE or term.op in CHOICES or term.op in CASTS or term.op == "icmp":
        for a in term.args:
            yield from _aligned(a, cell, solver)


def _aligned(term: Term, cell: int, solver: Solver) -> Iterator[Atom]:
    """What makes the base of a term a multiple of `cell`, as far as its residue is not known."""
    block = solver.of(term)
    if block.offsets is None or block.modulus >= cell or cell <= 1:
        return
    if term.op in SUMS or (term.op == "or" and "disjoint" in term.flags):
        for a in term.args:
            yield from _aligned(a, cell, solver)
    elif term.op in ("mul", "shl") and (factor := _factor(term, solver)) is not None:
        yield from _aligned(term.args[0], max(cell // factor, 1), solver)
    elif term.op in CASTS:
        yield from _aligned(term.args[0], cell, solver)
    elif term.op == "shl" and not term.varies and solver.of(term.args[0]).constant == 1:
        yield Atom("at least", term.args[1], cell.bit_length() - 1)
    elif term.op in ("urem", "srem", "and", "xor") and term.varies:
        for a in term.args:
            yield from _aligned(a, cell, solver)
    elif not term.varies:
        yield Atom("multiple", term, cell)


def _end_of_change(term: Term, solver: Solver) -> int | None:
    """The power of two below which lie all bits that a constant operand changes."""
    mask = solver.of(term.args[1]).constant
    if mask is None:
        return None
    if term.op == "and":
        mask = min(mask, (1 << term.width) - 1 - mask)
    return 1 << mask.bit_length()


def _factor(term: Term, solver: Solver) -> int | None:
    """The power of two in a product's constant factor."""
    number = solver.of(term.args[1]).constant
    if number is None or (term.op == "shl" and number >= term.width):
        return None
    return 1 << number if term.op == "shl" else max(number & -number, 1)
