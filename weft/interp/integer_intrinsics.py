"""LLVM's integer intrinsics, as functions of scalars."""

from collections.abc import Callable
from typing import Any

from weft import integers
from weft.ir import ConstantInt, Instruction
from weft.ir.types import Type

from .poison import POISON
from .scalar import width_of


def _flag(instruction: Instruction) -> bool:
    """Return the second operand, an i1 immediate, as in ctlz and abs."""
    flag = instruction.operands[1]
    return isinstance(flag, ConstantInt) and bool(flag.value)


def _count_leading(type: Type, instruction: Instruction) -> Callable[[int], int]:
    bits, zero_is_poison = width_of(type), _flag(instruction)
    return lambda a: POISON if zero_is_poison and a == 0 else bits - int.bit_length(a)


def _count_trailing(type: Type, instruction: Instruction) -> Callable[[int], int]:
    bits, zero_is_poison = width_of(type), _flag(instruction)

    def count(a: int) -> int:
        if a == 0:
            return POISON if zero_is_poison else bits
        return (a & -a).bit_length() - 1

    return count


def _absolute(type: Type, instruction: Instruction) -> Callable[[int], int]:
    bits, least_is_poison = width_of(type), _flag(instruction)
    sign = 1 << bits >> 1

    def absolute(a: int) -> int:
        if a == sign and least_is_poison:
            return POISON
        return abs((a ^ sign) - sign)

    return absolute


def _byte_swap(type: Type, instruction: Instruction) -> Callable[[int], int]:
    size = width_of(type) // 8
    return lambda a: int.from_bytes(int.to_bytes(a, size, "little"), "big")


def _bit_reverse(type: Type, instruction: Instruction) -> Callable[[int], int]:
    bits = width_of(type)
    return lambda a: int(format(+a, f"0{bits}b")[::-1], 2)


def _funnel(left: bool) -> Callable[[Type, Instruction], Callable[[int, int, int], int]]:
    def maker(type: Type, instruction: Instruction) -> Callable[[int, int, int], int]:
        bits = width_of(type)
        mask = (1 << bits) - 1

        def shift(high: int, low: int, amount: int) -> int:
            amount %= bits
            both = high << bits | low
            return both >> (bits - amount if left else amount) & mask

        return shift

    return maker


def _saturating(operation: str, signed: bool) -> Callable[[Type, Instruction], integers.Binary]:
    exact = _EXACT[operation]

    def maker(type: Type, instruction: Instruction) -> integers.Binary:
        bits = width_of(type)
        mask, sign = (1 << bits) - 1, 1 << bits >> 1
        low, high = (-sign, sign - 1) if signed else (0, mask)

        def saturate(a: int, b: int) -> int:
            if operation == "shl":
                if b >= bits:
                    return POISON
                a = (a ^ sign) - sign if signed else a
            elif signed:
                a, b = (a ^ sign) - sign, (b ^ sign) - sign
            return min(max(exact(a, b), low), high) & mask

        return saturate

    return maker


def _overflowing(operation: str, signed: bool) -> Callable[[Type, Instruction], Callable[[int, int], Any]]:
    exact = _EXACT[operation]

    def maker(type: Type, instruction: Instruction) -> Callable[[int, int], Any]:
        bits = width_of(type)
        mask, sign = (1 << bits) - 1, 1 << bits >> 1
        low, high = (-sign, sign - 1) if signed else (0, mask)

        def compute(a: int, b: int) -> tuple[int, int]:
            if signed:
                a, b = (a ^ sign) - sign, (b ^ sign) - sign
            result = exact(a, b)
            return result & mask, 0 if low <= result <= high else 1

        return compute

    return maker


_EXACT: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "shl": lambda a, b: a << b,
}


def _extreme(operation: str) -> Callable[[Type, Instruction], integers.Binary]:
    return lambda type, instruction: integers.binary(operation, width_of(type))


def _three_way(signed: bool) -> Callable[[Type, Instruction], Callable[[int, int], int]]:
    def maker(type: Type, instruction: Instruction) -> Callable[[int, int], int]:
        flip = 1 << width_of(type) >> 1 if signed else 0
        mask = (1 << width_of(instruction.type.scalar)) - 1
        return lambda a, b: ((a ^ flip > b ^ flip) - (a ^ flip < b ^ flip)) & mask

    return maker


# name -> (number of relevant operands, maker of the scalar function)
INTEGER_INTRINSICS: dict[str, tuple[int, Callable[[Type, Instruction], Callable[..., Any]]]] = {
    "ctpop": (1, lambda type, instruction: int.bit_count),
    "ctlz": (1, _count_leading),
    "cttz": (1, _count_trailing),
    "abs": (1, _absolute),
    "bswap": (1, _byte_swap),
    "bitreverse": (1, _bit_reverse),
    "fshl": (3, _funnel(left=True)),
    "fshr": (3, _funnel(left=False)),
    "smax": (2, _extreme("smax")),
    "smin": (2, _extreme("smin")),
    "umax": (2, _extreme("umax")),
    "umin": (2, _extreme("umin")),
    "scmp": (2, _three_way(signed=True)),
    "ucmp": (2, _three_way(signed=False)),
    **{f"{s}{o}.sat": (2, _saturating(o, s == "s")) for s in "su" for o in ("add", "sub", "shl")},
    **{f"{s}{o}.with.overflow": (2, _overflowing(o, s == "s")) for s in "su" for o in ("add", "sub", "mul")},
}
