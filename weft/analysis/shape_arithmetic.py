"""Machine arithmetic on shapes: the shape of a sum, product, quotient or extension.

Every function is exact about wrap-around: strides always hold modulo 2^bits, and hold for wider numbers only
if no work-item's number can wrap. `nsw` and `nuw` state that a result that wraps is poison, which needs no
shape. Callers must pass results to `normalized`.
"""

from collections.abc import Callable, Iterable

from weft.integers import Interval, signed

from .shape import (
    Shape,
    Stride,
    Strides,
    constant,
    fitted,
    narrowest,
    uniform,
)


def opaque(bits: int, *operands: Shape) -> Shape:
    """Return the shape of an unknown function of the operands: uniform where all of them are."""
    dimensions = 0
    for operand in operands:
        dimensions |= operand.varying
    return uniform(bits).without(dimensions)


def with_range(shape: Shape, low: int, high: int) -> Shape:
    """Return the shape of a value that is known to lie in [low, high]."""
    low, high = narrowest(shape.bits, ((shape.low, shape.high), (low, high)))
    return shape._replace(low=low, high=high)


def added(a: Shape, b: Shape, nsw: bool = False, nuw: bool = False, sign: int = 1) -> Shape:
    """Return the shape of a + b, or of a - b for a `sign` of -1."""
    unknown = a.unknown | b.unknown
    a, b = a.without(unknown), b.without(unknown)
    strides = _strides(
        None if s is None or t is None else s + sign * t for s, t in zip(a.strides, b.strides, strict=True)
    )
    low, high = _ranged(a.bits, _plus if sign > 0 else _minus, (a, b), nsw, nuw)
    return Shape(
        a.bits,
        strides,
        low,
        high,
        nsw and a.signed and b.signed,
        nuw and a.unsigned and b.unsigned,
    )


def multiplied(a: Shape, b: Shape, nsw: bool = False, nuw: bool = False) -> Shape:
    """Return the shape of a * b."""
    if a.constant is not None:
        a, b = b, a
    factor = b.constant
    if factor is not None:
        number = signed(factor, b.bits)
        return _scaled(a, number, nsw, nuw and number >= 0)
    low, high = _ranged(a.bits, _product, (a, b), nsw, nuw)
    return opaque(a.bits, a, b)._replace(low=low, high=high)


def shifted_left(a: Shape, amount: int, nsw: bool = False, nuw: bool = False) -> Shape:
    """Return the shape of a << amount for amount < bits, a product with the positive number 2^amount."""
    return _scaled(a, 1 << amount, nsw, nuw)


def _scaled(a: Shape, factor: int, nsw: bool, nuw: bool) -> Shape:
    bits = a.bits
    if factor == 0:
        return constant(bits, 0)
    strides = _strides(None if s is None else s * factor for s in a.strides)
    low, high = _ranged(bits, lambda r: _product(r, (factor, factor)), (a,), nsw, nuw)
    return Shape(bits, strides, low, high, nsw and a.signed, nuw and a.unsigned)


def _plus(a: Interval, b: Interval) -> Interval:
    return a[0] + b[0], a[1] + b[1]


def _minus(a: Interval, b: Interval) -> Interval:
    return a[0] - b[1], a[1] - b[0]


def _product(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _ranged(
    bits: int, function: Callable[..., Interval], operands: tuple[Shape, ...], nsw: bool, nuw: bool
) -> Interval:
    """Apply an interval function to the operands' intervals; results that flags exclude are cut off."""
    ranges = [function(*[(o.low, o.high) for o in operands])]
    if nsw:
        ranges.append(_clamped(function(*[o.signed_range for o in operands]), bits, signed=True))
    if nuw:
        ranges.append(_clamped(function(*[o.unsigned_range for o in operands]), bits, signed=False))
    return narrowest(bits, ranges)


def _clamped(interval: Interval, bits: int, signed: bool) -> Interval:
    """Return the part of an interval that does not overflow; all numbers if it is empty (always poison)."""
    size = 1 << bits
    least, most = (-(size >> 1), (size >> 1) - 1) if signed else (0, size - 1)
    low, high = max(interval[0], least), min(interval[1], most)
    return (low, high) if low <= high else (least, most)


# Division


def divided(a: Shape, divisor: int, signed: bool) -> tuple[Shape, Shape]:
    """Return the quotient and remainder of a floor division by a positive number.

    Both are linear along the dimensions whose strides are multiples of the divisor.
    """
    bits = a.bits
    low, high = a.signed_range if signed else a.unsigned_range
    if low // divisor == high // divisor:
        quotient = constant(bits, low // divisor)
        remainder = added(a, constant(bits, low // divisor * divisor), sign=-1)
        return quotient, with_range(remainder, low % divisor, high % divisor)
    strides = [s if s is not None and s % divisor == 0 else None for s in a.strides]
    unknown = _strides(0 if s == 0 else None for s in a.strides)
    # If numbers may wrap between work-items, only powers of two still give the same remainder.
    exact = a.signed if signed else a.unsigned
    quotients = _strides(None if s is None else s // divisor for s in strides) if exact else unknown
    remains = _strides(None if s is None else 0 for s in strides)
    if not exact and divisor & (divisor - 1):
        remains = unknown
    quotient = Shape(bits, quotients, 0, (1 << bits) - 1, signed, not signed)
    rest = Shape(bits, remains, *fitted(bits, 0, divisor - 1))
    return with_range(quotient, low // divisor, high // divisor), rest


# Bits


def masked(a: Shape, mask: int) -> Shape | None:
    """Return the shape of a & mask for a mask of low bits, a remainder; None for other masks."""
    end = mask + 1
    if end & mask:
        return None
    rest = a if end >> a.bits else divided(a, end, False)[1]
    return rest._replace(signed=False, unsigned=False)


def bitwise(opcode: str, a: Shape, b: Shape) -> Shape:
    """Return the shape of `and`, `or` or `xor`."""
    result = opaque(a.bits, a, b)
    if opcode != "and" and a.low >= 0 and b.low >= 0:
        result = with_range(result, 0, (1 << max(a.high, b.high).bit_length()) - 1)
    return result


# Casts


def truncated(a: Shape, bits: int, nsw: bool = False, nuw: bool = False) -> Shape:
    """Return the shape of the low bits of a number."""
    low, high = _ranged(bits, lambda r: r, (a,), nsw, nuw)
    return Shape(bits, a.strides, low, high, nsw and a.signed, nuw and a.unsigned)


def extended(a: Shape, bits: int, signed: bool) -> Shape:
    """Return the shape of a number extended to more bits: strides survive only if no number wraps."""
    low, high = a.signed_range if signed else a.unsigned_range
    if not (a.signed if signed else a.unsigned):
        a = a.without(a.varying)
    return Shape(bits, a.strides, low, high, True, not signed)


def _strides(values: Iterable[Stride]) -> Strides:
    x, y, z = values
    return x, y, z
