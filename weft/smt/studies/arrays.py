"""Evaluate terms for many lanes and inputs at once: `evaluate.py` on numpy arrays."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..terms import CONST, INPUT, LANE, Term, walk

Array = np.ndarray[Any, np.dtype[Any]]
Numbers = tuple[Array, Array]  # numbers as uint64, and where they are defined

_U = np.uint64


def evaluate_arrays(term: Term, lane: Array, inputs: Mapping[str, Array], flags: bool = True) -> Numbers:
    """Return a term's numbers for lanes and inputs whose shapes broadcast, and where the IR defines them."""
    yes = np.ones((), bool)
    results: dict[Term, Numbers] = {}
    for at in walk(term):
        if at.op == CONST:
            results[at] = np.asarray(at.data, _U), yes
        elif at.op in (LANE, INPUT):
            leaf = lane if at.op == LANE else inputs[at.key]
            results[at] = np.asarray(leaf).astype(_U) & _mask(at.width), yes
        else:
            results[at] = _computed(at, [results[a] for a in at.args], flags)
    return results[term]


def _mask(width: int) -> Any:
    return _U((1 << width) - 1)


def as_signed(numbers: Array, width: int) -> Array:
    """Interpret numbers modulo 2^width as two's complement."""
    shift = _U(64 - width)
    return (numbers << shift).view(np.int64) >> np.int64(64 - width)


def _unsigned(numbers: Array, width: int) -> Array:
    return numbers.view(_U) & _mask(width)


def _computed(term: Term, operands: list[Numbers], flags: bool) -> Numbers:
    if term.op == "select":
        (c, c_defined), (yes, yes_defined), (no, no_defined) = operands
        chosen = c.astype(bool)
        return np.where(chosen, yes, no), c_defined & np.where(chosen, yes_defined, no_defined)
    defined = operands[0][1]
    for _, d in operands[1:]:
        defined = defined & d
    a, b = operands[0][0], operands[-1][0]
    width, source = term.width, term.args[0].width
    with np.errstate(all="ignore"):
        if term.op == "icmp":
            return _compared(str(term.data), source, a, b).astype(_U), defined
        result, valid = _operation(term.op, width, source, a, b)
        defined = defined & valid
        if flags and term.flags:
            defined = defined & _promises(term, a, b, result)
    return result, defined


def _compared(predicate: str, width: int, a: Array, b: Array) -> Array:
    if predicate[0] == "s":
        a, b = as_signed(a, width), as_signed(b, width)
    functions: dict[str, Callable[[Array, Array], Array]] = {
        "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
        "ge": np.greater_equal,
    }  # fmt: skip
    return functions[predicate[-2:]](a, b)


def _operation(op: str, width: int, source: int, a: Array, b: Array) -> Numbers:
    yes = np.ones((), bool)
    mask = _mask(width)
    match op:
        case "add":
            return (a + b) & mask, yes
        case "sub":
            return (a - b) & mask, yes
        case "mul":
            return (a * b) & mask, yes
        case "and":
            return a & b, yes
        case "or":
            return a | b, yes
        case "xor":
            return a ^ b, yes
        case "shl" | "lshr" | "ashr":
            valid = b < _U(width)
            amount = np.where(valid, b, _U(0))
            if op == "shl":
                return (a << amount) & mask, valid
            if op == "lshr":
                return a >> amount, valid
            return _unsigned(as_signed(a, width) >> amount.astype(np.int64), width), valid
        case "udiv" | "urem":
            valid = b != 0
            divisor = np.where(valid, b, _U(1))
            return (a // divisor if op == "udiv" else a % divisor), valid
        case "sdiv" | "srem":
            return _signed_division(op, width, a, b)
        case "umin":
            return np.minimum(a, b), yes
        case "umax":
            return np.maximum(a, b), yes
        case "smin" | "smax":
            first = as_signed(a, width) < as_signed(b, width)
            return np.where(first == (op == "smin"), a, b), yes
        case "zext" | "trunc":
            return a & mask, yes
        case "sext":
            return _unsigned(as_signed(a, source), width), yes
    raise AssertionError(op)


def _signed_division(op: str, width: int, a: Array, b: Array) -> Numbers:
    x, y = as_signed(a, width), as_signed(b, width)
    valid = (y != 0) & ~((y == -1) & (a == _U(1 << (width - 1))))
    y = np.where(valid, y, 1)
    quotient, remainder = np.floor_divide(x, y), np.mod(x, y)
    # numpy rounds down; the machine rounds towards zero.
    adjust = (remainder != 0) & ((x < 0) != (y < 0))
    quotient = quotient + adjust
    result = quotient if op == "sdiv" else x - quotient * y
    return _unsigned(np.asarray(result, np.int64), width), valid


def _promises(term: Term, a: Array, b: Array, result: Array) -> Array:
    """Return where an operation satisfies its flags."""
    kept = np.ones((), bool)
    width, source = term.width, term.args[0].width
    x, y, r = as_signed(a, source), as_signed(b, source), as_signed(result, width)
    for flag in term.flags:
        match flag, term.op:
            case "nneg", _:
                kept = kept & (x >= 0)
            case "disjoint", _:
                kept = kept & (a & b == 0)
            case "nuw", "add":
                kept = kept & (result >= a)
            case "nuw", "sub":
                kept = kept & (a >= b)
            case "nuw", "mul":
                kept = kept & ((a == 0) | (result // np.maximum(a, _U(1)) == b))
            case "nuw", "shl":
                kept = kept & (result >> np.minimum(b, _U(63)) == a)
            case "nsw", "shl":
                kept = kept & (r >> np.minimum(b, _U(63)).astype(np.int64) == x)
            case "nsw", "add":
                kept = kept & ~(((x >= 0) == (y >= 0)) & ((r >= 0) != (x >= 0)))
            case "nsw", "sub":
                kept = kept & ~(((x >= 0) != (y >= 0)) & ((r >= 0) != (x >= 0)))
            case "nsw", "mul":
                kept = kept & _product_fits(width, x, y, r)
            case "nuw", "trunc":
                kept = kept & (a == result)
            case "nsw", "trunc":
                kept = kept & (x == r)
            case "exact", "lshr" | "ashr":
                kept = kept & ((a >> np.minimum(b, _U(63))) << np.minimum(b, _U(63)) == a)
            case "exact", "udiv":
                kept = kept & (a % np.maximum(b, _U(1)) == 0)
            case "exact", "sdiv":
                kept = kept & (np.mod(x, np.where(y == 0, 1, y)) == 0)
    return kept


def _product_fits(width: int, x: Array, y: Array, result: Array) -> Array:
    if width <= 32:
        return np.asarray(x * y == result)
    # Floating point detects products far outside the range; exact division checks the others.
    far = np.abs(x.astype(float) * y.astype(float)) >= 2.0 ** (width + 0.5)
    safe = np.where((x == 0) | (x == -1), 1, x)
    divides = (np.floor_divide(result, safe) == y) & (np.mod(result, safe) == 0)
    negated = y != np.iinfo(np.int64).min
    return ~far & np.where(x == 0, True, np.where(x == -1, negated, divides))
