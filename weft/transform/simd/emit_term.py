"""Emit a uniform term (`weft/smt/terms.py`), such as the condition of a proof, as scalar code.

The code computes the value of the term for every input: operations that are undefined for some operands in
the IR (division by zero, oversized shifts) only get operands for which they are defined, so that a condition
can be computed before it is known to hold.
"""

from collections.abc import Mapping

from weft.ir import Value
from weft.ir.builder import Builder
from weft.ir.types import I1, IntType
from weft.ir.values import const_int
from weft.smt.terms import CASTS, CHOICES, CONST, DIVISIONS, INPUT, SHIFTS, Term, walk


def emit_term(b: Builder, term: Term, inputs: Mapping[str, Value]) -> Value:
    """Emit a term at the builder's insertion point; `inputs` has the values of its inputs by key."""
    values: dict[Term, Value] = {}
    for subterm in walk(term):
        values[subterm] = _emit(b, subterm, [values[a] for a in subterm.args], inputs)
    return values[term]


def _emit(b: Builder, term: Term, args: list[Value], inputs: Mapping[str, Value]) -> Value:
    type = IntType(term.width)
    if term.op == CONST:
        assert isinstance(term.data, int)
        return const_int(type, term.data)
    if term.op == INPUT:
        return inputs[term.key]
    if term.op == "select":
        return b.select(args[0], args[1], args[2])
    if term.op in CASTS:
        return b.cast(term.op, args[0], type)
    left, right = args
    if term.op == "icmp":
        return b.icmp(str(term.data), left, right)
    if term.op in CHOICES:
        predicate = f"{term.op[0]}{'lt' if term.op.endswith('min') else 'gt'}"
        return b.select(b.icmp(predicate, left, right), left, right)
    if term.op in DIVISIONS:
        right = _divisor(b, term, left, right)
    by = term.args[1].constant
    if term.op in SHIFTS and (by is None or by >= term.width):
        right = b.binary("and", right, const_int(type, _mask(term.width)))
    return b.binary(term.op, left, right)


def _mask(width: int) -> int:
    """Return the bits of a shift amount that are used; too few if the width is not a power of two."""
    return (1 << (width.bit_length() - 1)) - 1


def _divisor(b: Builder, term: Term, dividend: Value, divisor: Value) -> Value:
    """Return a divisor for which the division is defined: 1 if it would trap."""
    known = term.args[1].constant
    end = 1 << term.width
    if known is not None and known not in (0, end - 1):
        return divisor
    one, zero = const_int(divisor.type, 1), const_int(divisor.type, 0)
    traps: Value = b.icmp("eq", divisor, zero)
    if term.op[0] == "s":
        is_least = b.icmp("eq", dividend, const_int(dividend.type, end >> 1))
        is_minus_one = b.icmp("eq", divisor, const_int(divisor.type, -1))
        traps = b.emit("or", I1, [traps, b.emit("and", I1, [is_least, is_minus_one])])
    return b.select(traps, one, divisor)
