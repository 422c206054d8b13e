"""Transfer functions on blocks (`blocks.py`).

Every function is exact about wrap-around. `flags` are assumed to hold: a result that violates them does not
occur.
"""

from collections.abc import Callable, Set

from weft.integers import Interval, apply, decided, operation, signed

from .blocks import Block, join, known, make_block, uniform, unknown

Flags = Set[str]


def transfer(op: str, width: int, data: object, flags: Flags, args: tuple[Block, ...]) -> Block:
    """Return the block of an operation's result."""
    if all(a.is_known for a in args):
        pointwise = _pointwise(op, width, data, args)
        if pointwise is not None:
            return pointwise
    if op == "icmp":
        return _compare(str(data), *args)
    if op == "select":
        return _select(*args)
    if op in ("zext", "sext", "trunc"):
        return _cast(op, width, flags, args[0])
    return _BINARY[op](op, flags, *args)


def _pointwise(op: str, width: int, data: object, args: tuple[Block, ...]) -> Block | None:
    """Evaluate an operation lane by lane; None if it is undefined in some lane."""
    results = []
    function = operation(op, width, args[0].width, predicate=str(data))
    assert function is not None
    for numbers in zip(*(a.numbers for a in args), strict=True):
        number = function(*numbers)
        if number is None:
            return None
        results.append(number)
    return known(width, tuple(results))


def _opaque(width: int, *args: Block, low: int = 0, high: int | None = None) -> Block:
    """Return the block of an operation about which only a range is known; uniform if its operands are."""
    if all(a.is_uniform for a in args):
        assert args[0].offsets is not None
        return uniform(width, len(args[0].offsets), low, high)
    return unknown(width, low, high)


# Sums


def _sum(op: str, flags: Flags, a: Block, b: Block) -> Block:
    width, sign = a.width, -1 if op == "sub" else 1
    size, half = 1 << width, 1 << width >> 1
    low, high = _plus((a.low, a.high), (b.low, b.high), sign)
    wraps = low < 0 or high >= size
    signed_low, signed_high = _plus((a.signed_low, a.signed_high), (b.signed_low, b.signed_high), sign)
    signed_wraps = signed_low < -half or signed_high >= half
    if wraps:
        low, high = (max(low, 0), min(high, size - 1)) if "nuw" in flags else (0, size - 1)
    if signed_wraps:
        clipped = max(signed_low, -half), min(signed_high, half - 1)
        signed_low, signed_high = clipped if "nsw" in flags else (-half, half - 1)
    offsets, modulus = None, min(a.modulus, b.modulus)
    if a.offsets is not None and b.offsets is not None:
        offsets = tuple(x + sign * y for x, y in zip(a.offsets, b.offsets, strict=True))
    else:
        modulus = 1
    return make_block(
        width,
        offsets,
        modulus,
        a.residue + sign * b.residue,
        low,
        high,
        signed_low,
        signed_high,
        a.exact and b.exact and (not wraps or "nuw" in flags),
        a.signed_exact and b.signed_exact and (not signed_wraps or "nsw" in flags),
    )


def _plus(a: Interval, b: Interval, sign: int) -> Interval:
    return (a[0] + b[0], a[1] + b[1]) if sign > 0 else (a[0] - b[1], a[1] - b[0])


# Products


def _mul(op: str, flags: Flags, a: Block, b: Block) -> Block:
    if a.constant is not None:
        a, b = b, a
    if b.constant is not None:
        return _scaled(a, signed(b.constant, b.width), "nsw" in flags, "nuw" in flags)
    width = a.width
    low, high, signed_low, signed_high = _product_ranges(a, b, flags)
    if not (a.is_uniform and b.is_uniform):
        return make_block(width, None, 1, 0, low, high, signed_low, signed_high)
    # (r + m*i) * (s + n*j) = r*s + r*n*j + s*m*i + m*n*i*j
    modulus = 1 << width
    for part in (a.residue * b.modulus, b.residue * a.modulus, a.modulus * b.modulus):
        if part:
            modulus = min(modulus, part & -part)
    return make_block(width, a.offsets, modulus, a.residue * b.residue, low, high, signed_low, signed_high)


def _product_ranges(a: Block, b: Block, flags: Flags) -> tuple[int, int, int, int]:
    size, half = 1 << a.width, 1 << a.width >> 1
    low, high = a.low * b.low, a.high * b.high
    if high >= size:
        low, high = (low, size - 1) if "nuw" in flags and low < size else (0, size - 1)
    ends = [x * y for x in (a.signed_low, a.signed_high) for y in (b.signed_low, b.signed_high)]
    signed_low, signed_high = min(ends), max(ends)
    if signed_low < -half or signed_high >= half:
        clipped = max(signed_low, -half), min(signed_high, half - 1)
        signed_low, signed_high = clipped if "nsw" in flags else (-half, half - 1)
    return low, high, signed_low, signed_high


def _scaled(a: Block, factor: int, nsw: bool, nuw: bool) -> Block:
    """Return the block of a multiple by a signed `factor`."""
    width = a.width
    size, half = 1 << width, 1 << width >> 1
    if factor == 0:
        return unknown(width, 0, 0) if a.offsets is None else known(width, (0,) * len(a.offsets))
    low, high = a.low * factor, a.high * factor
    wraps = factor < 0 or high >= size
    if wraps:
        low, high = (low, size - 1) if nuw and 0 <= low < size else (0, size - 1)
    signed_low, signed_high = sorted((a.signed_low * factor, a.signed_high * factor))
    signed_wraps = signed_low < -half or signed_high >= half
    if signed_wraps:
        clipped = max(signed_low, -half), min(signed_high, half - 1)
        signed_low, signed_high = clipped if nsw else (-half, half - 1)
    offsets = None if a.offsets is None else tuple(factor * o for o in a.offsets)
    power = factor & -factor
    return make_block(
        width,
        offsets,
        a.modulus * power if offsets is not None else 1,
        a.residue * factor,
        low,
        high,
        signed_low,
        signed_high,
        a.exact and (not wraps or (nuw and factor > 0)),
        a.signed_exact and (not signed_wraps or nsw),
    )


def _shl(op: str, flags: Flags, a: Block, b: Block) -> Block:
    width = a.width
    if b.constant is not None and b.constant < width:
        return _scaled(a, 1 << b.constant, "nsw" in flags and b.constant < width - 1, "nuw" in flags)
    if not (a.is_uniform and b.is_uniform):
        return unknown(width)
    # The amount is at least b.low; shifts by the width or more are undefined.
    least = min(b.low, width - 1)
    low, high = a.low << least, a.high << min(b.high, width - 1)
    if high >> width:
        low, high = (low, (1 << width) - 1) if "nuw" in flags and not low >> width else (0, (1 << width) - 1)
    # (r + m*i) * 2^s is r*2^s modulo m*2^least; r*2^s itself is known modulo divisor(r)*2^least only.
    modulus = min(a.divisor << least, 1 << width)
    return make_block(width, a.offsets, modulus, 0, low, high)


# Division


def _udiv(op: str, flags: Flags, a: Block, b: Block) -> Block:
    low, high = a.low // max(b.high, 1), a.high // max(b.low, 1)
    return _quotient(a, b, a.exact, low, high)


def _urem(op: str, flags: Flags, a: Block, b: Block) -> Block:
    if a.high < b.low:
        return a
    return _remainder(a, b, a.exact, min(a.high, max(b.high - 1, 0)))


def _sdiv(op: str, flags: Flags, a: Block, b: Block) -> Block:
    width = a.width
    if a.signed_low < 0:
        return _opaque(width, a, b)
    if b.signed_low >= 0:
        return _udiv(op, flags, a, b)
    if b.constant is not None:
        # Negate the quotient by the absolute value of the negative divisor.
        divisor = -signed(b.constant, width)
        positive = _quotient(a, known(width, (divisor,) * len(b.offsets or ())), a.signed_exact, 0, a.high)
        return _scaled(positive, -1, True, False)
    quotient = _quotient(a, b, a.signed_exact, 0, None)
    return quotient if quotient.is_uniform else unknown(width)


def _srem(op: str, flags: Flags, a: Block, b: Block) -> Block:
    width = a.width
    if a.signed_low < 0:
        return _opaque(width, a, b)
    if b.signed_low >= 0:
        return _urem(op, flags, a, b)
    if b.constant is not None:
        divisor = -signed(b.constant, width)
        return _urem(op, flags, a, known(width, (divisor,) * len(b.offsets or ())))
    # The sign of the divisor does not matter; its absolute value is at most 2^(width-1).
    return _remainder(a, b, a.signed_exact, a.high)


def _quotient(a: Block, b: Block, exact: bool, low: int, high: int | None) -> Block:
    """Return the block of a / b for nonnegative numbers, or for a uniform divisor of any sign."""
    width = a.width
    if a.offsets is None or not b.is_uniform:
        return unknown(width, low, high)
    divisor = b.constant
    if divisor and exact and a.modulus % divisor == 0:
        # base = modulus*i + residue
        offsets = tuple((a.residue + o) // divisor for o in a.offsets)
        return make_block(width, offsets, a.modulus // divisor, 0, low, high, exact=True)
    if a.is_uniform or (exact and a.fits(min(b.divisor, a.modulus))):
        return uniform(width, len(a.offsets), low, high)
    return unknown(width, low, high)


def _remainder(a: Block, b: Block, exact: bool, high: int) -> Block:
    """Return the block of a % b for nonnegative numbers, or for a uniform divisor of any sign."""
    width = a.width
    if a.offsets is None or not b.is_uniform:
        return unknown(width, 0, high)
    divisor = b.constant
    if divisor and exact and a.modulus % divisor == 0:
        return known(width, tuple((a.residue + o) % divisor for o in a.offsets))
    cell = min(b.divisor, a.modulus)
    if exact and a.fits(cell):
        return make_block(width, a.offsets, cell, a.residue, 0, high, exact=True)
    if a.is_uniform:
        return make_block(width, a.offsets, cell, a.residue, 0, high)
    return unknown(width, 0, high)


def _shift_right(op: str, flags: Flags, a: Block, b: Block) -> Block:
    width = a.width
    if op == "ashr" and a.signed_low < 0:
        return _ashr(a, b)
    least, most = min(b.low, width - 1), min(b.high, width - 1)
    low, high = a.low >> most, a.high >> least
    if b.constant is not None and b.constant < width:
        return _quotient(a, known(width, (1 << b.constant,) * len(b.offsets or ())), a.exact, low, high)
    if a.offsets is None or not b.is_uniform:
        return unknown(width, low, high)
    if a.is_uniform or a.fits(min(1 << least, a.modulus)):
        return uniform(width, len(a.offsets), low, high)
    return unknown(width, low, high)


def _ashr(a: Block, b: Block) -> Block:
    """Return the block of an arithmetic shift: it rounds down, so cells apply to negative numbers too."""
    width = a.width
    least = min(b.low, width - 1)
    signed_low, signed_high = min(a.signed_low >> least, 0), max(a.signed_high >> least, 0)
    if a.offsets is None or not b.is_uniform:
        return make_block(width, None, 1, 0, signed_low=signed_low, signed_high=signed_high)
    shift = b.constant
    offsets: tuple[int, ...] | None = None
    modulus = 1
    if (
        shift is not None
        and shift < width
        and a.signed_exact
        and a.modulus >> shift
        and a.modulus >> width == 0
    ):
        offsets = tuple((a.residue + o) >> shift for o in a.offsets)
        modulus = a.modulus >> shift
    elif a.is_uniform or (a.signed_exact and a.fits(min(1 << least, a.modulus))):
        offsets = (0,) * len(a.offsets)
    return make_block(
        width, offsets, modulus, 0, signed_low=signed_low, signed_high=signed_high, signed_exact=True
    )


# Bits


def _bitwise(op: str, flags: Flags, a: Block, b: Block) -> Block:
    width = a.width
    high = (1 << width) - 1
    low = 0
    if op == "and":
        high = min(a.high, b.high)
    else:
        high = (1 << max(a.high, b.high).bit_length()) - 1
        if op == "or":
            low = max(a.low, b.low)
    if op == "or" and "disjoint" in flags:
        total = _sum("add", frozenset(("nuw", "nsw")), a, b)
        if total.offsets is not None:
            return total
    for mask, value in ((a, b), (b, a)):
        if mask.constant is not None and value.offsets is not None:
            changed = _low_bits_changed(op, value, mask.constant, low, high)
            if changed is not None:
                return changed
    if a.offsets is None or b.offsets is None:
        return unknown(width, low, high)
    cell = min(a.modulus, b.modulus)
    # The result has the known zero bits of both operands.
    if op == "and" and a.is_uniform and b.is_uniform:
        zeros = max(a.divisor, b.divisor)
        if zeros > cell:
            return make_block(width, a.offsets, zeros, 0, low, high)
    if not (a.fits(cell) and b.fits(cell)) or (cell == 1 and not (a.is_uniform and b.is_uniform)):
        return unknown(width, low, high)
    bits = tuple(apply(op, width, pair) or 0 for pair in zip(a.low_bits(cell), b.low_bits(cell), strict=True))
    return make_block(width, bits, cell, 0, low, high)


def _low_bits_changed(op: str, a: Block, mask: int, low: int, high: int) -> Block | None:
    """Return the block of an operation with a constant that keeps or clears all bits above some position.

    Powers of two divide 2^width, so wrap-around does not affect low bits.
    """
    assert a.offsets is not None
    size = 1 << a.width
    if op == "and" and mask & (mask + 1) == 0 and mask + 1 < size:
        return _remainder(a, known(a.width, (mask + 1,) * len(a.offsets)), True, high)
    end = 1 << (size - 1 - mask if op == "and" else mask).bit_length()
    if a.modulus < end:
        return None
    offsets = tuple(
        o - bits + (apply(op, a.width, (bits, mask % end)) or 0)
        for o, bits in zip(a.offsets, a.low_bits(end), strict=True)
    )
    return make_block(
        a.width, offsets, a.modulus, a.residue, low, high, exact=a.exact, signed_exact=a.signed_exact
    )


# Comparisons and choices


def _compare(predicate: str, a: Block, b: Block) -> Block:
    truth = _decided(predicate, a, b)
    if a.offsets is None or b.offsets is None:
        return unknown(1) if truth is None else unknown(1, int(truth), int(truth))
    count = len(a.offsets)
    if truth is not None:
        return known(1, (int(truth),) * count)
    if a.is_uniform and b.is_uniform:
        return uniform(1, count)
    cell = min(a.modulus, b.modulus)
    if cell >> a.width == 0 and a.fits(cell) and b.fits(cell):
        # If the parts above the cells differ, they decide for all lanes; otherwise the low bits decide.
        order = predicate if predicate in ("eq", "ne") else "u" + predicate[1:]
        lows = zip(a.low_bits(cell), b.low_bits(cell), strict=True)
        if len({apply("icmp", 1, pair, a.width, predicate=order) for pair in lows}) == 1:
            return uniform(1, count)
    return unknown(1)


def _decided(predicate: str, a: Block, b: Block) -> bool | None:
    if predicate in ("eq", "ne"):
        disjoint = (
            a.high < b.low or b.high < a.low or a.signed_high < b.signed_low or b.signed_high < a.signed_low
        )
        return predicate == "ne" if disjoint else None
    if predicate[0] == "s":
        return decided(predicate, (a.signed_low, a.signed_high), (b.signed_low, b.signed_high))
    return decided(predicate, (a.low, a.high), (b.low, b.high))


def _select(condition: Block, yes: Block, no: Block) -> Block:
    if condition.low == condition.high:
        return yes if condition.low else no
    joined = join(yes, no)
    if condition.is_uniform or (yes.is_uniform and yes.constant is not None and yes == no):
        return joined
    return make_block(
        joined.width, None, 1, 0, joined.low, joined.high, joined.signed_low, joined.signed_high
    )


def _choice(op: str, flags: Flags, a: Block, b: Block) -> Block:
    predicate = op[0] + ("lt" if op[1:] == "min" else "gt")
    chosen = _select(_compare(predicate, a, b), a, b)
    pick: Callable[[int, int], int] = min if op[1:] == "min" else max
    low, high = (pick(a.low, b.low), pick(a.high, b.high)) if op[0] == "u" else (chosen.low, chosen.high)
    signed_low, signed_high = chosen.signed_low, chosen.signed_high
    if op[0] == "s":
        signed_low, signed_high = pick(a.signed_low, b.signed_low), pick(a.signed_high, b.signed_high)
    return make_block(
        chosen.width, chosen.offsets, chosen.modulus, chosen.residue, max(low, chosen.low),
        min(high, chosen.high), max(signed_low, chosen.signed_low), min(signed_high, chosen.signed_high),
        chosen.exact, chosen.signed_exact,
    )  # fmt: skip


# Casts


def _cast(op: str, width: int, flags: Flags, a: Block) -> Block:
    size = 1 << width
    if op == "trunc":
        fits = a.high < size or "nuw" in flags
        low, high = (a.low, min(a.high, size - 1)) if fits and a.low < size else (0, size - 1)
        half = size >> 1
        signed_fits = (-half <= a.signed_low and a.signed_high < half) or "nsw" in flags
        signed_low, signed_high = (
            (max(a.signed_low, -half), min(a.signed_high, half - 1)) if signed_fits else (-half, half - 1)
        )
        return make_block(
            width, a.offsets, a.modulus, a.residue, low, high, signed_low, signed_high,
            a.exact and fits, a.signed_exact and signed_fits,
        )  # fmt: skip
    if op == "zext" and "nneg" in flags:
        half = 1 << a.width >> 1
        a = make_block(
            a.width, a.offsets, a.modulus, a.residue, a.low, min(a.high, half - 1), max(a.signed_low, 0),
            a.signed_high, a.exact, a.signed_exact,
        )  # fmt: skip
        op = "zext" if a.exact else "sext"
    if op == "zext":
        offsets = a.offsets if a.exact else None
        modulus, residue = a.modulus if offsets is not None else 1, a.residue
        if modulus >> a.width:  # a constant base stays constant in more bits
            modulus = size
        return make_block(width, offsets, modulus, residue, a.low, a.high, exact=True, signed_exact=True)
    offsets = a.offsets if a.signed_exact else None
    modulus, residue = a.modulus if offsets is not None else 1, a.residue
    if modulus >> a.width:
        modulus, residue = size, signed(residue, a.width)
    return make_block(
        width,
        offsets,
        modulus,
        residue,
        signed_low=a.signed_low,
        signed_high=a.signed_high,
        signed_exact=True,
    )


_BINARY: dict[str, Callable[[str, Flags, Block, Block], Block]] = {
    "add": _sum, "sub": _sum, "mul": _mul, "shl": _shl, "lshr": _shift_right, "ashr": _shift_right,
    "udiv": _udiv, "urem": _urem, "sdiv": _sdiv, "srem": _srem, "and": _bitwise, "or": _bitwise,
    "xor": _bitwise, "umin": _choice, "umax": _choice, "smin": _choice, "smax": _choice,
}  # fmt: skip
