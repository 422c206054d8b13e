"""Find statements on inputs under which a failed proof would succeed.

A proof fails where an operation on known offsets gives unknown ones. The missing fact is always of the same
kind: the lanes must lie in a cell of 2^k integers, and the divisor, shift or mask must respect it. So the
addends of the base and the divisor must be multiples of 2^k, the shift amount at least k, and a factor must
be 1.
"""

from collections.abc import Container, Iterator

from .solve import Solver
from .terms import BITWISE, CASTS, CHOICES, DIVISIONS, SUMS, Term, inputs, walk
from .verdict import Atom


def candidates(term: Term, solver: Solver, available: Container[str] | None = None) -> list[Atom]:
    """Return the statements that are missing where the proof of a term stopped.

    `available` holds the keys of inputs that statements may use; None allows all.
    """
    return _Candidates(solver, available).of(term)


class _Candidates:
    def __init__(self, solver: Solver, available: Container[str] | None) -> None:
        self.solver, self.available = solver, available

    def of(self, term: Term) -> list[Atom]:
        missing: dict[Atom, None] = {}
        for at in walk(term):
            if not at.varies or self.solver.of(at).offsets is not None:
                continue
            if all(self.solver.of(a).offsets is not None for a in at.args):
                missing.update(dict.fromkeys(self._missing(at)))
        return list(missing)

    def _may_state(self, term: Term) -> bool:
        if term.varies:
            return False
        return self.available is None or all(key in self.available for key in inputs(term))

    def _missing(self, term: Term) -> Iterator[Atom]:
        op, args = term.op, term.args
        # Conditions (width 1) have no spread, so an operation on conditions needs no cell.
        cell = 1 << max((self.solver.of(a).spread for a in args if a.width > 1), default=0).bit_length()
        if op in DIVISIONS:
            yield from self._aligned(args[0], cell)
            yield from self._aligned(args[1], cell)
        elif op in ("lshr", "ashr"):
            yield from self._aligned(args[0], cell)
            if self._may_state(args[1]):
                yield Atom("at least", args[1], cell.bit_length() - 1)
        elif op == "mul":
            yield from (Atom("equals", a, 1) for a in args if self._may_state(a))
        elif op == "shl" and self._may_state(args[1]):
            yield Atom("equals", args[1], 0)
        elif op == "select" and self._may_state(args[0]):
            # Choose the operand whose lanes have the smaller spread.
            yes, no = (self.solver.of(a).spread for a in args[1:])
            yield Atom("equals", args[0], int(yes <= no))
        elif op in BITWISE and (end := self._end_of_change(term)) is not None:
            yield from self._aligned(args[0], min(cell, end))
        elif op in BITWISE or op in CHOICES or op in CASTS or op == "icmp":
            for a in args:
                yield from self._aligned(a, cell)

    def _aligned(self, term: Term, cell: int) -> Iterator[Atom]:
        """Yield statements that make the base of a term a multiple of `cell`, unless its residue is known."""
        block = self.solver.of(term)
        if block.offsets is None or block.modulus >= cell or cell <= 1:
            return
        op, args = term.op, term.args
        if op in SUMS or (op == "or" and "disjoint" in term.flags):
            for a in args:
                yield from self._aligned(a, cell)
        elif op in ("mul", "shl") and (factor := self._factor(term)) is not None:
            yield from self._aligned(args[0], max(cell // factor, 1))
        elif op == "mul" and (number := self.solver.of(args[0]).constant):
            yield from self._aligned(args[1], max(cell // (number & -number), 1))
        elif op in CASTS:
            yield from self._aligned(args[0], cell)
        elif op == "shl" and self._may_state(args[1]) and self.solver.of(args[0]).constant == 1:
            yield Atom("at least", args[1], cell.bit_length() - 1)
        elif op in ("urem", "srem", "and", "xor") and term.varies:
            for a in args:
                yield from self._aligned(a, cell)
        elif self._may_state(term):
            yield Atom("multiple", term, cell)
        elif op == "mul":
            # One factor is enough, if a statement about it is possible.
            for a in args:
                if self._may_state(a):
                    yield from self._aligned(a, cell)
                    break

    def _end_of_change(self, term: Term) -> int | None:
        """Return the power of two below which a constant operand changes bits."""
        mask = self.solver.of(term.args[1]).constant
        if mask is None:
            return None
        if term.op == "and":
            mask = min(mask, (1 << term.width) - 1 - mask)
        return 1 << mask.bit_length()

    def _factor(self, term: Term) -> int | None:
        """Return the power of two in the constant factor of a product."""
        number = self.solver.of(term.args[1]).constant
        if number is None or (term.op == "shl" and number >= term.width):
            return None
        return 1 << number if term.op == "shl" else max(number & -number, 1)
