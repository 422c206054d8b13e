"""Integer arithmetic modulo 2^n.

An integer of n bits is a Python int in [0, 2^n). Each maker returns the function of one opcode at one
width; a result that LLVM calls poison is POISON. Divisions without a result raise UndefinedBehaviour,
or give 0 when `trap` is off, where OpenCL C has some number.
"""

import operator
from collections.abc import Callable, Collection

from .errors import UndefinedBehaviour
from .poison import POISON

Binary = Callable[[int, int], int]


def signed(value: int, bits: int) -> int:
    """The two's complement reading of an unsigned number."""
    sign = 1 << bits >> 1
    return (value ^ sign) - sign


def binary(opcode: str, bits: int, flags: Collection[str] = (), trap: bool = True) -> Binary:
    """The function of a binary opcode."""
    if opcode in _DIVISIONS:
        return _division(opcode, bits, "exact" in flags, trap)
    return _MAKERS[opcode](bits, flags)


def _add(bits: int, flags: Collection[str]) -> Binary:
    mask = (1 << bits) - 1
    if not flags:
        return lambda a, b: (a + b) & mask
    slow = _checked(operator.add, bits, flags)
    quarter = 1 << bits >> 2

    def add(a: int, b: int) -> int:
        # Numbers this small cannot overflow in any sense.
        if a < quarter and b < quarter:
            return a + b
        return slow(a, b)

    return add


def _sub(bits: int, flags: Collection[str]) -> Binary:
    mask = (1 << bits) - 1
    if not flags:
        return lambda a, b: (a - b) & mask
    slow = _checked(operator.sub, bits, flags)
    sign = 1 << bits >> 1

    def sub(a: int, b: int) -> int:
        return a - b if b <= a < sign else slow(a, b)

    return sub


def _mul(bits: int, flags: Collection[str]) -> Binary:
    mask = (1 << bits) - 1
    if not flags:
        return lambda a, b: (a * b) & mask
    slow = _checked(operator.mul, bits, flags)
    root = 1 << ((bits - 1) // 2)

    def mul(a: int, b: int) -> int:
        return a * b if a < root and b < root else slow(a, b)

    return mul


def _checked(function: Binary, bits: int, flags: Collection[str]) -> Binary:
    """add, sub or mul with nuw and nsw."""
    mask = (1 << bits) - 1
    sign = 1 << bits >> 1
    nuw, nsw = "nuw" in flags, "nsw" in flags

    def checked(a: int, b: int) -> int:
        exact = function(a, b)
        if nuw and not 0 <= exact <= mask:
            return POISON
        if nsw and not -sign <= function((a ^ sign) - sign, (b ^ sign) - sign) < sign:
            return POISON
        return exact & mask

    return checked


def _shl(bits: int, flags: Collection[str]) -> Binary:
    mask = (1 << bits) - 1
    sign = 1 << bits >> 1
    nuw, nsw = "nuw" in flags, "nsw" in flags

    def shl(a: int, b: int) -> int:
        if b >= bits:
            return POISON
        wide = a << b
        result = wide & mask
        if nuw and wide != result:
            return POISON
        if nsw and ((result ^ sign) - sign) >> b != (a ^ sign) - sign:
            return POISON
        return result

    return shl


def _lshr(bits: int, flags: Collection[str]) -> Binary:
    exact = "exact" in flags

    def lshr(a: int, b: int) -> int:
        if b >= bits or (exact and a & ((1 << b) - 1)):
            return POISON
        return a >> b

    return lshr


def _ashr(bits: int, flags: Collection[str]) -> Binary:
    mask = (1 << bits) - 1
    sign = 1 << bits >> 1
    exact = "exact" in flags

    def ashr(a: int, b: int) -> int:
        if b >= bits or (exact and a & ((1 << b) - 1)):
            return POISON
        return ((a ^ sign) - sign) >> b & mask

    return ashr


def _or(bits: int, flags: Collection[str]) -> Binary:
    if "disjoint" in flags:
        return lambda a, b: POISON if a & b else a | b
    return operator.or_


_MAKERS: dict[str, Callable[[int, Collection[str]], Binary]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "shl": _shl,
    "lshr": _lshr,
    "ashr": _ashr,
    "and": lambda bits, flags: operator.and_,
    "or": _or,
    "xor": lambda bits, flags: operator.xor,
}
_DIVISIONS = frozenset(("udiv", "sdiv", "urem", "srem"))


def _division(opcode: str, bits: int, exact: bool, trap: bool) -> Binary:
    mask = (1 << bits) - 1
    sign = 1 << bits >> 1

    def undefined(reason: str) -> int:
        if trap:
            raise UndefinedBehaviour(reason)
        return 0

    def udiv(a: int, b: int) -> int:
        if b == 0:
            return undefined("division by zero")
        return POISON if exact and a % b else a // b

    def urem(a: int, b: int) -> int:
        return a % b if b else undefined("remainder of a division by zero")

    def sdiv(a: int, b: int) -> int:
        if b == 0:
            return undefined("division by zero")
        a, b = (a ^ sign) - sign, (b ^ sign) - sign
        if b == -1 and a == -sign:
            return undefined("division overflow: the least integer by -1")
        quotient = abs(a) // abs(b)
        if exact and quotient * abs(b) != abs(a):
            return POISON
        return (quotient if (a < 0) == (b < 0) else -quotient) & mask

    def srem(a: int, b: int) -> int:
        if b == 0:
            return undefined("remainder of a division by zero")
        a, b = (a ^ sign) - sign, (b ^ sign) - sign
        if b == -1 and a == -sign:
            return undefined("division overflow: the least integer by -1")
        rest = abs(a) % abs(b)
        return (rest if a >= 0 else -rest) & mask

    return {"udiv": udiv, "urem": urem, "sdiv": sdiv, "srem": srem}[opcode]


def compare(predicate: str, bits: int, flags: Collection[str] = ()) -> Binary:
    """The function of an icmp predicate; its result is 0 or 1."""
    sign = 1 << bits >> 1
    found = _signed_compare(predicate, sign) if predicate[0] == "s" else _unsigned_compare(predicate)
    if "samesign" in flags:
        return lambda a, b: POISON if (a ^ b) & sign else found(a, b)
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


def truncate(bits: int, to: int, flags: Collection[str] = ()) -> Callable[[int], int]:
    """The function of trunc."""
    mask = (1 << to) - 1
    if not flags:
        return lambda a: a & mask

    def checked(a: int) -> int:
        result = a & mask
        if "nuw" in flags and a != result:
            return POISON
        if "nsw" in flags and signed(a, bits) != signed(result, to):
            return POISON
        return result

    return checked


def zero_extend(bits: int, to: int, flags: Collection[str] = ()) -> Callable[[int], int]:
    """The function of zext."""
    if "nneg" in flags:
        sign = 1 << bits >> 1
        return lambda a: POISON if a & sign else a
    return operator.pos


def sign_extend(bits: int, to: int) -> Callable[[int], int]:
    """The function of sext."""
    sign = 1 << bits >> 1
    mask = (1 << to) - 1
    return lambda a: ((a ^ sign) - sign) & mask
