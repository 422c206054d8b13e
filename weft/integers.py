"""Machine integers: the semantics of the IR's integer operations, and the relations between comparisons.

An integer of n bits is a Python int in [0, 2^n). `binary`, `compare` and `cast` return the function of one
opcode at one width, so that a caller can look it up once. The caller chooses the value of poison results
(`poison`) and of undefined divisions (`undefined`, a function of the reason). Both default to None.

The interpreter, constant folding, the analyses and the prover all compute with these functions.
"""

import operator
from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any, Final

Binary = Callable[[int, int], Any]
Unary = Callable[[int], Any]
Undefined = Callable[[str], Any]
Interval = tuple[int, int]  # minimum and maximum, both included

# For each comparison, its negation and (SWAPPED) the equivalent comparison of swapped operands.
INVERTED: Final = {
    "eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt", "ult": "uge",
    "uge": "ult", "ugt": "ule", "ule": "ugt",
}  # fmt: skip
SWAPPED: Final = {
    "eq": "eq", "ne": "ne", "slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle", "ult": "ugt",
    "ugt": "ult", "ule": "uge", "uge": "ule",
}  # fmt: skip
CASTS: Final = frozenset(("trunc", "zext", "sext"))


def signed(value: int, bits: int) -> int:
    """Read an unsigned number as two's complement."""
    sign = 1 << bits >> 1
    return (value ^ sign) - sign


def lowest_bit(value: int) -> int:
    """Return the largest power of two that divides a nonzero number."""
    return value & -value


def binary(
    opcode: str,
    bits: int,
    flags: Collection[str] = (),
    poison: Any = None,
    undefined: Undefined | None = None,
) -> Binary:
    """Return the function of a binary opcode, or of a minimum or maximum (`smin`, `umax`)."""
    if opcode in _DIVISIONS:
        return _division(opcode, bits, "exact" in flags, poison, undefined or (lambda reason: None))
    return BINARY[opcode](bits, flags, poison)


def _add(bits: int, flags: Collection[str], poison: Any) -> Binary:
    mask = (1 << bits) - 1
    if not flags:
        return lambda a, b: (a + b) & mask
    slow = _checked(operator.add, bits, flags, poison)
    quarter = 1 << bits >> 2

    def add(a: int, b: int) -> Any:
        # Numbers this small cannot overflow, signed or unsigned.
        if a < quarter and b < quarter:
            return a + b
        return slow(a, b)

    return add


def _sub(bits: int, flags: Collection[str], poison: Any) -> Binary:
    mask = (1 << bits) - 1
    if not flags:
        return lambda a, b: (a - b) & mask
    slow = _checked(operator.sub, bits, flags, poison)
    sign = 1 << bits >> 1

    def sub(a: int, b: int) -> Any:
        return a - b if b <= a < sign else slow(a, b)

    return sub


def _mul(bits: int, flags: Collection[str], poison: Any) -> Binary:
    mask = (1 << bits) - 1
    if not flags:
        return lambda a, b: (a * b) & mask
    slow = _checked(operator.mul, bits, flags, poison)
    root = 1 << ((bits - 1) // 2)

    def mul(a: int, b: int) -> Any:
        return a * b if a < root and b < root else slow(a, b)

    return mul


def _checked(function: Callable[[int, int], int], bits: int, flags: Collection[str], poison: Any) -> Binary:
    """Return the function of add, sub or mul with nuw or nsw."""
    mask = (1 << bits) - 1
    sign = 1 << bits >> 1
    nuw, nsw = "nuw" in flags, "nsw" in flags

    def checked(a: int, b: int) -> Any:
        exact = function(a, b)
        if nuw and not 0 <= exact <= mask:
            return poison
        if nsw and not -sign <= function((a ^ sign) - sign, (b ^ sign) - sign) < sign:
            return poison
        return exact & mask

    return checked


def _shl(bits: int, flags: Collection[str], poison: Any) -> Binary:
    mask = (1 << bits) - 1
    sign = 1 << bits >> 1
    nuw, nsw = "nuw" in flags, "nsw" in flags

    def shl(a: int, b: int) -> Any:
        if b >= bits:
            return poison
        wide = a << b
        result = wide & mask
        if nuw and wide != result:
            return poison
        if nsw and ((result ^ sign) - sign) >> b != (a ^ sign) - sign:
            return poison
        return result

    return shl


def _lshr(bits: int, flags: Collection[str], poison: Any) -> Binary:
    exact = "exact" in flags

    def lshr(a: int, b: int) -> Any:
        if b >= bits or (exact and a & ((1 << b) - 1)):
            return poison
        return a >> b

    return lshr


def _ashr(bits: int, flags: Collection[str], poison: Any) -> Binary:
    mask = (1 << bits) - 1
    sign = 1 << bits >> 1
    exact = "exact" in flags

    def ashr(a: int, b: int) -> Any:
        if b >= bits or (exact and a & ((1 << b) - 1)):
            return poison
        return ((a ^ sign) - sign) >> b & mask

    return ashr


def _or(bits: int, flags: Collection[str], poison: Any) -> Binary:
    if "disjoint" in flags:
        return lambda a, b: poison if a & b else a | b
    return operator.or_


def _smin(bits: int, flags: Collection[str], poison: Any) -> Binary:
    sign = 1 << bits >> 1
    return lambda a, b: a if a ^ sign < b ^ sign else b


def _smax(bits: int, flags: Collection[str], poison: Any) -> Binary:
    sign = 1 << bits >> 1
    return lambda a, b: a if a ^ sign > b ^ sign else b


_DIVISIONS: Final = frozenset(("udiv", "sdiv", "urem", "srem"))
BINARY: Final[dict[str, Callable[[int, Collection[str], Any], Binary]]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "shl": _shl,
    "lshr": _lshr,
    "ashr": _ashr,
    "and": lambda bits, flags, poison: operator.and_,
    "or": _or,
    "xor": lambda bits, flags, poison: operator.xor,
    "umin": lambda bits, flags, poison: lambda a, b: a if a < b else b,
    "umax": lambda bits, flags, poison: lambda a, b: a if a > b else b,
    "smin": _smin,
    "smax": _smax,
}


def _division(opcode: str, bits: int, exact: bool, poison: Any, undefined: Undefined) -> Binary:
    mask = (1 << bits) - 1
    sign = 1 << bits >> 1

    def udiv(a: int, b: int) -> Any:
        if b == 0:
            return undefined("division by zero")
        return poison if exact and a % b else a // b

    def urem(a: int, b: int) -> Any:
        return a % b if b else undefined("remainder of a division by zero")

    def sdiv(a: int, b: int) -> Any:
        if b == 0:
            return undefined("division by zero")
        a, b = (a ^ sign) - sign, (b ^ sign) - sign
        if b == -1 and a == -sign:
            return undefined("division overflow: the least integer by -1")
        quotient = abs(a) // abs(b)
        if exact and quotient * abs(b) != abs(a):
            return poison
        return (quotient if (a < 0) == (b < 0) else -quotient) & mask

    def srem(a: int, b: int) -> Any:
        if b == 0:
            return undefined("remainder of a division by zero")
        a, b = (a ^ sign) - sign, (b ^ sign) - sign
        if b == -1 and a == -sign:
            return undefined("division overflow: the least integer by -1")
        rest = abs(a) % abs(b)
        return (rest if a >= 0 else -rest) & mask

    return {"udiv": udiv, "urem": urem, "sdiv": sdiv, "srem": srem}[opcode]


def compare(predicate: str, bits: int, flags: Collection[str] = (), poison: Any = None) -> Binary:
    """Return the function of an icmp predicate; its result is 0 or 1."""
    sign = 1 << bits >> 1
    found = _signed_compare(predicate, sign) if predicate[0] == "s" else _unsigned_compare(predicate)
    if "samesign" in flags:
        return lambda a, b: poison if (a ^ b) & sign else found(a, b)
    return found


def _unsigned_compare(predicate: str) -> Binary:
    match predicate:
        case "eq":
            return lambda a, b: 1 if a == b else 0
        case "ne":
            return lambda a, b: 1 if a != b else 0
        case "ult":
            return lambda a, b: 1 if a < b else 0
        case "ule":
            return lambda a, b: 1 if a <= b else 0
        case "ugt":
            return lambda a, b: 1 if a > b else 0
    return lambda a, b: 1 if a >= b else 0


def _signed_compare(predicate: str, sign: int) -> Binary:
    # Flipping the sign bit maps the signed order onto the unsigned one.
    match predicate:
        case "slt":
            return lambda a, b: 1 if a ^ sign < b ^ sign else 0
        case "sle":
            return lambda a, b: 1 if a ^ sign <= b ^ sign else 0
        case "sgt":
            return lambda a, b: 1 if a ^ sign > b ^ sign else 0
    return lambda a, b: 1 if a ^ sign >= b ^ sign else 0


def decided(predicate: str, a: Interval, b: Interval) -> bool | None:
    """Return the result of an ordered comparison of two intervals if it is the same for all numbers."""
    if predicate[1] == "g":
        a, b = b, a
    strict = predicate[2] == "t"
    if a[1] < b[0] or (a[1] == b[0] and not strict):
        return True
    return False if a[0] > b[1] or (a[0] == b[1] and strict) else None


def cast(opcode: str, bits: int, to: int, flags: Collection[str] = (), poison: Any = None) -> Unary:
    """Return the function of trunc, zext or sext."""
    sign, mask = 1 << bits >> 1, (1 << to) - 1
    if opcode == "sext":
        return lambda a: ((a ^ sign) - sign) & mask
    if opcode == "zext":
        return (lambda a: poison if a & sign else a) if "nneg" in flags else operator.pos
    if not flags:
        return lambda a: a & mask

    def truncate(a: int) -> Any:
        result = a & mask
        if "nuw" in flags and a != result:
            return poison
        if "nsw" in flags and signed(a, bits) != signed(result, to):
            return poison
        return result

    return truncate


_NO_FLAGS: Final[frozenset[str]] = frozenset()


@cache
def operation(
    opcode: str, bits: int, source: int = 0, flags: frozenset[str] = _NO_FLAGS, predicate: str = ""
) -> Callable[..., int | None] | None:
    """Return the function of an operation on numbers of `source` bits with a result of `bits` bits.

    The function returns None if the IR leaves the result undefined. None for operations that are not
    functions of integers.
    """
    if opcode in BINARY or opcode in _DIVISIONS:
        return binary(opcode, bits, flags)
    if opcode in CASTS:
        return cast(opcode, source, bits, flags)
    if opcode == "icmp":
        return compare(predicate, source, flags)
    if opcode == "select":
        return _select
    return operator.pos if opcode == "freeze" else None


def _select(condition: int, yes: int, no: int) -> int:
    return yes if condition else no


def apply(
    opcode: str,
    bits: int,
    numbers: Sequence[int],
    source: int = 0,
    flags: frozenset[str] = _NO_FLAGS,
    predicate: str = "",
) -> int | None:
    """Apply an operation to numbers; None if the IR leaves the result undefined."""
    function = operation(opcode, bits, source, flags, predicate)
    return function(*numbers) if function is not None else None
