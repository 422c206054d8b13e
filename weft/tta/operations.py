"""The operations that units may support: operands, results and semantics.

Words have 32 bits and are stored as unsigned integers; floats are words with the bits of a single. The
semantics of an operation is a Python expression over its operands `a` and `b`, which the simulator compiles
and the compiler uses for constant folding. Memory is little-endian; addresses are multiples of the size of an
access.
"""

import math
import struct
from typing import Any

from weft.dataclasses import dataclass

WORD = 0xFFFFFFFF


@dataclass(frozen=True)
class Operation:
    """One operation. `loads`, `stores`: bytes accessed; the operands of a store are address and value."""

    name: str
    operands: int
    meaning: str = ""
    commutes: bool = False
    boolean: bool = False
    loads: int = 0
    stores: int = 0

    @property
    def pure(self) -> bool:
        """Whether the operation does not access memory."""
        return not (self.loads or self.stores)


def signed(word: int) -> int:
    """Return a word as a two's complement number."""
    return word - (word >> 31 << 32)


_SINGLE, _BITS = struct.Struct("<f"), struct.Struct("<I")


def single(word: int) -> float:
    """Return the number that a word represents."""
    return float(_SINGLE.unpack(_BITS.pack(word))[0])


def word_of(number: float) -> int:
    """Return the word of the single nearest to a number."""
    try:
        return int(_BITS.unpack(_SINGLE.pack(number))[0])
    except OverflowError:
        return 0x7F800000 if number > 0 else 0xFF800000


# Sums, differences, products, quotients and square roots of singles may be computed in double precision and
# rounded again: a double has more than twice the digits, so the result is the correctly rounded one.
def float_add(a: int, b: int) -> int:
    """Return the sum of two singles."""
    return word_of(single(a) + single(b))


def float_sub(a: int, b: int) -> int:
    """Return the difference of two singles."""
    return word_of(single(a) - single(b))


def float_mul(a: int, b: int) -> int:
    """Return the product of two singles."""
    return word_of(single(a) * single(b))


def float_div(a: int, b: int) -> int:
    """Return the quotient of two singles."""
    x, y = single(a), single(b)
    if y == 0.0:
        if x == 0.0 or math.isnan(x):
            return 0x7FC00000
        return 0x7F800000 | (a ^ b) & 0x80000000
    return word_of(x / y)


def float_sqrt(a: int) -> int:
    """Return the square root of a single."""
    x = single(a)
    return word_of(math.sqrt(x)) if x >= 0 else 0x7FC00000


def float_to_int(a: int, low: int, high: int) -> int:
    """Convert a single to an integer, rounding towards zero and clamping to `low` and `high`."""
    x = single(a)
    if math.isnan(x):
        return 0
    return int(min(max(x, low), high)) & WORD


def divide(a: int, b: int) -> int:
    """Return the quotient of signed words, rounded towards zero; 0 for a divisor of 0."""
    x, y = signed(a), signed(b)
    if not y:
        return 0
    return (abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)) & WORD


def remainder(a: int, b: int) -> int:
    """Return the remainder of `divide`; 0 for a divisor of 0."""
    x, y = signed(a), signed(b)
    return (abs(x) % abs(y) * (-1 if x < 0 else 1)) & WORD if y else 0


# Functions that the semantics of operations call.
HELPERS: dict[str, Any] = {
    "signed": signed,
    "single": single,
    "word_of": word_of,
    "float_add": float_add,
    "float_sub": float_sub,
    "float_mul": float_mul,
    "float_div": float_div,
    "float_sqrt": float_sqrt,
    "float_to_int": float_to_int,
    "divide": divide,
    "remainder": remainder,
}

OPERATIONS: dict[str, Operation] = {
    o.name: o
    for o in (
        Operation("add", 2, "(a + b) & 0xFFFFFFFF", commutes=True),
        Operation("sub", 2, "(a - b) & 0xFFFFFFFF"),
        Operation("mul", 2, "(a * b) & 0xFFFFFFFF", commutes=True),
        Operation("and", 2, "a & b", commutes=True),
        Operation("ior", 2, "a | b", commutes=True),
        Operation("xor", 2, "a ^ b", commutes=True),
        Operation("shl", 2, "(a << (b & 31)) & 0xFFFFFFFF"),
        Operation("shru", 2, "a >> (b & 31)"),
        Operation("shr", 2, "(signed(a) >> (b & 31)) & 0xFFFFFFFF"),
        Operation("sxb", 1, "((a & 255 ^ 128) - 128) & 0xFFFFFFFF"),
        Operation("sxh", 1, "((a & 65535 ^ 32768) - 32768) & 0xFFFFFFFF"),
        Operation("eq", 2, "+(a == b)", commutes=True, boolean=True),
        Operation("ne", 2, "+(a != b)", commutes=True, boolean=True),
        Operation("lt", 2, "+(signed(a) < signed(b))", boolean=True),
        Operation("le", 2, "+(signed(a) <= signed(b))", boolean=True),
        Operation("ltu", 2, "+(a < b)", boolean=True),
        Operation("leu", 2, "+(a <= b)", boolean=True),
        Operation("min", 2, "a if signed(a) < signed(b) else b", commutes=True),
        Operation("max", 2, "b if signed(a) < signed(b) else a", commutes=True),
        Operation("minu", 2, "a if a < b else b", commutes=True),
        Operation("maxu", 2, "b if a < b else a", commutes=True),
        Operation("mulhu", 2, "a * b >> 32", commutes=True),
        Operation("divu", 2, "a // b if b else 0"),
        Operation("remu", 2, "a % b if b else 0"),
        Operation("div", 2, "divide(a, b)"),
        Operation("rem", 2, "remainder(a, b)"),
        Operation("clz", 1, "32 - a.bit_length()"),
        Operation("popcount", 1, "a.bit_count()"),
        Operation("fadd", 2, "float_add(a, b)", commutes=True),
        Operation("fsub", 2, "float_sub(a, b)"),
        Operation("fmul", 2, "float_mul(a, b)", commutes=True),
        Operation("fdiv", 2, "float_div(a, b)"),
        Operation("fsqrt", 1, "float_sqrt(a)"),
        Operation("feq", 2, "+(single(a) == single(b))", commutes=True, boolean=True),
        Operation("flt", 2, "+(single(a) < single(b))", boolean=True),
        Operation("fle", 2, "+(single(a) <= single(b))", boolean=True),
        Operation("itof", 1, "word_of(signed(a))"),
        Operation("utof", 1, "word_of(a)"),
        Operation("ftoi", 1, "float_to_int(a, -0x80000000, 0x7FFFFFFF)"),
        Operation("ftou", 1, "float_to_int(a, 0, 0xFFFFFFFF)"),
        Operation("ld32", 1, loads=4),
        Operation("ld16", 1, loads=2),
        Operation("ld8", 1, loads=1),
        Operation("st32", 2, stores=4),
        Operation("st16", 2, stores=2),
        Operation("st8", 2, stores=1),
    )
}

_COMPILED = {
    name: eval(f"lambda a, b=0: {o.meaning}", dict(HELPERS)) for name, o in OPERATIONS.items() if o.meaning
}


def compute(name: str, *operands: int) -> int:
    """Evaluate an operation that does not access memory."""
    return int(_COMPILED[name](*operands))
