"""Machine arithmetic on shapes: what the shape of a sum, product, quotient or extension is.

Every function is exact about wrap-around: strides always hold modulo 2^bits, and are claimed of wider
numbers only if no work-item's number can wrap. `nsw` and `nuw` say that a result that wraps is poison,
that is, of no interest. Results need `settled`.
"""

from collections.abc import Callable, Iterable

from weft.integers import Interval, lowest_bit, operation, signed

from .shape import (
    ALL,
    AXES,
    Geometry,
    Shape,
    Stride,
    Strides,
    constant,
    fitted,
    narrowest,
    span,
    uniform,
)


def opaque(bits: int, *operands: Shape) -> Shape:
    """A function of the operands of which nothing is known: uniform where all of them are."""
    dimensions = 0
    for operand in operands:
        dimensions |= operand.varying
    return uniform(bits).without(dimensions)


def with_range(shape: Shape, low: int, high: int) -> Shape:
    """The shape of a value that is known to lie in [low, high]."""
    low, high = narrowest(shape.bits, ((shape.low, shape.high), (low, high)))
    return shape._replace(low=low, high=high)


def added(a: Shape, b: Shape, nsw: bool = False, nuw: bool = False, sign: int = 1) -> Shape:
    """a + b, or a - b with a `sign` of -1."""
    unknown = a.unknown | b.unknown
    a, b = a.without(unknown), b.without(unknown)
    strides = _strides(
        None if s is None or t is None else s + sign * t for s, t in zip(a.strides, b.strides, strict=True)
    )
    modulus = min(a.modulus, b.modulus)
    low, high = _ranged(a.bits, _plus if sign > 0 else _minus, (a, b), nsw, nuw)
    return Shape(
        a.bits,
        strides,
        modulus,
        (a.rest + sign * b.rest) % modulus,
        low,
        high,
        nsw and a.signed and b.signed,
        nuw and a.unsigned and b.unsigned,
    )


def multiplied(a: Shape, b: Shape, nsw: bool = False, nuw: bool = False) -> Shape:
    """a * b."""
    if a.constant is not None:
        a, b = b, a
    factor = b.constant
    if factor is not None:
        number = signed(factor, b.bits)
        return _scaled(a, number, nsw, nuw and number >= 0)
    a, b = a.without(a.varying), b.without(b.varying)
    # (r + m*i) * (s + n*j) = r*s + r*n*j + s*m*i + m*n*i*j
    modulus = 1 << a.bits
    for term in (a.rest * b.modulus, b.rest * a.modulus, a.modulus * b.modulus):
        if term:
            modulus = min(modulus, lowest_bit(term))
    low, high = _ranged(a.bits, _product, (a, b), nsw, nuw)
    result = opaque(a.bits, a, b)
    return result._replace(modulus=modulus, rest=a.rest * b.rest % modulus, low=low, high=high)


def shifted_left(a: Shape, amount: int, nsw: bool = False, nuw: bool = False) -> Shape:
    """a << amount, for an amount below the width: a product with a positive number, even in the sign bit."""
    return _scaled(a, 1 << amount, nsw, nuw)


def _scaled(a: Shape, factor: int, nsw: bool, nuw: bool) -> Shape:
    bits = a.bits
    if factor == 0:
        return constant(bits, 0)
    strides = _strides(None if s is None else s * factor for s in a.strides)
    modulus = min(1 << bits, a.modulus * lowest_bit(factor))
    low, high = _ranged(bits, lambda r: _product(r, (factor, factor)), (a,), nsw, nuw)
    return Shape(
        bits, strides, modulus, a.rest * factor % modulus, low, high, nsw and a.signed, nuw and a.unsigned
    )


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
    """The interval that a function makes of those of its operands; what flags exclude does not count."""
    ranges = [function(*[(o.low, o.high) for o in operands])]
    if nsw:
        ranges.append(_clamped(function(*[o.signed_range for o in operands]), bits, signed=True))
    if nuw:
        ranges.append(_clamped(function(*[o.unsigned_range for o in operands]), bits, signed=False))
    return narrowest(bits, ranges)


def _clamped(interval: Interval, bits: int, signed: bool) -> Interval:
    """The part of an interval that does not overflow; everything if that is none (always poison)."""
    size = 1 << bits
    least, most = (-(size >> 1), (size >> 1) - 1) if signed else (0, size - 1)
    low, high = max(interval[0], least), min(interval[1], most)
    return (low, high) if low <= high else (least, most)


# Division


def divided(a: Shape, divisor: int, signed: bool, geometry: Geometry) -> tuple[Shape, Shape]:
    """The quotient and remainder of a floor division by a positive number.

    The value is c*Q + r, where Q takes the dimensions whose strides the divisor c divides, and r the
    others, with what is known of the base. If r stays within one multiple of c, both parts are linear.
    """
    bits = a.bits
    low, high = a.signed_range if signed else a.unsigned_range
    if low // divisor == high // divisor:
        quotient = constant(bits, low // divisor)
        remainder = added(a, constant(bits, low // divisor * divisor), sign=-1)
        return quotient, with_range(remainder, low % divisor, high % divisor)
    power = divisor & (divisor - 1) == 0
    base = _known_base(a, signed, geometry)
    rest = _known_rest(a, base, divisor, power)
    others = sum(axis for s, axis in zip(a.strides, AXES, strict=True) if s and s % divisor)
    if others:
        inner = _strides(s if others & axis else 0 for s, axis in zip(a.strides, AXES, strict=True))
        least, most = span(inner, geometry.extents)
        if rest is None or rest + least < 0 or rest + most >= divisor:
            a, base, others = a.without(others), None, 0
            rest = _known_rest(a, base, divisor, power)
    quotient_of = remainder_of = (a, base, rest, others)
    if not (a.signed if signed else a.unsigned):
        # Numbers may wrap between work-items: what is left is what holds for each of them alone.
        apart = a.without(a.varying)
        quotient_of = (apart, None, _known_rest(apart, None, divisor, power), 0)
        remainder_of = remainder_of if power else quotient_of
    quotient = _quotient(*quotient_of, divisor, signed)
    return with_range(quotient, low // divisor, high // divisor), _remainder(*remainder_of, divisor)


def _known_base(a: Shape, signed: bool, geometry: Geometry) -> int | None:
    """The base as an integer, if it is a constant and no work-item's number can wrap."""
    if not a.modulus >> a.bits or a.unknown:
        return None
    least, most = span(a.strides, geometry.extents)
    size = 1 << a.bits
    start = -(size >> 1) if signed else 0
    base = (a.rest - start) % size + start
    return base if start <= base + least and base + most < start + size else None


def _known_rest(a: Shape, base: int | None, divisor: int, power: bool) -> int | None:
    if base is not None:
        return base % divisor
    return a.rest % divisor if power and a.modulus >= divisor else None


def _quotient(a: Shape, base: int | None, rest: int | None, others: int, divisor: int, signed: bool) -> Shape:
    bits = a.bits
    strides = _strides(
        0 if others & axis else None if s is None else s // divisor
        for s, axis in zip(a.strides, AXES, strict=True)
    )
    modulus, remaining = 1, 0
    if base is not None and rest is not None:
        modulus, remaining = 1 << bits, (base - rest) // divisor
    elif rest is not None:
        modulus, remaining = a.modulus // divisor, (a.rest - rest) // divisor
    return Shape(bits, strides, modulus, remaining % modulus, 0, (1 << bits) - 1, signed, not signed)


def _remainder(a: Shape, base: int | None, rest: int | None, others: int, divisor: int) -> Shape:
    bits = a.bits
    strides = _strides(
        None if s is None else s if others & axis else 0 for s, axis in zip(a.strides, AXES, strict=True)
    )
    if rest is not None:
        # The rest of the base is the same for every work-item, also along unknown dimensions.
        strides = _strides(s or 0 for s in strides)
        modulus, remaining = 1 << bits, rest
    else:
        modulus, remaining = min(a.modulus, lowest_bit(divisor)), a.rest
    low, high = fitted(bits, 0, divisor - 1)
    return Shape(bits, strides, modulus, remaining % modulus, low, high)


# Bits


def masked(a: Shape, mask: int, geometry: Geometry) -> Shape | None:
    """a & mask for a run of ones in the mask: a remainder, less another one. None for other masks."""
    low = lowest_bit(mask)
    end = mask + low
    if end & (end - 1):
        return None
    if not end >> a.bits:
        a = divided(a, end, False, geometry)[1]
        a = a._replace(signed=False, unsigned=False)
    if low == 1:
        return a
    first, last = a.unsigned_range
    cleared = added(a, divided(a, low, False, geometry)[1], sign=-1)
    cleared = with_range(cleared, first // low * low, last // low * low)
    return cleared if cleared.modulus >= low else cleared._replace(modulus=low, rest=0)


def are_disjoint(a: Shape, b: Shape) -> bool:
    """Whether no bit can be set in both numbers, because one ends where the other begins."""
    return a.alignment > b.unsigned_range[1] or b.alignment > a.unsigned_range[1]


def bits_changed(opcode: str, a: Shape, b: Shape) -> Shape | None:
    """`or` or `xor` with a constant that changes only bits which are known, the same for all work-items."""
    if a.constant is not None:
        a, b = b, a
    if b.constant is None:
        return None
    known = low_bits(a, 1 << b.constant.bit_length())
    if known is None:
        return None
    changed = known | b.constant if opcode == "or" else known ^ b.constant
    return added(a, constant(a.bits, changed - known))


def low_bits(a: Shape, count: int) -> int | None:
    """The value modulo the power of two `count`, if it is the same known number for all work-items."""
    whole = a.without(ALL)
    return whole.rest % count if count <= whole.modulus else None


def bitwise(opcode: str, a: Shape, b: Shape) -> Shape:
    """`and`, `or`, `xor` of two values, as far as low bits are known."""
    result = opaque(a.bits, a, b)
    if opcode != "and" and a.low >= 0 and b.low >= 0:
        result = with_range(result, 0, (1 << max(a.high, b.high).bit_length()) - 1)
    zeros = max(a.alignment, b.alignment)
    a, b = a.without(ALL), b.without(ALL)
    modulus = min(a.modulus, b.modulus)
    if opcode == "and" and zeros > modulus:
        return result._replace(modulus=zeros, rest=0)
    function = operation(opcode, a.bits)
    assert function is not None
    return result._replace(modulus=modulus, rest=(function(a.rest, b.rest) or 0) % modulus)


# Casts


def truncated(a: Shape, bits: int, nsw: bool = False, nuw: bool = False) -> Shape:
    """The low bits of a number."""
    low, high = _ranged(bits, lambda r: r, (a,), nsw, nuw)
    modulus = min(a.modulus, 1 << bits)
    return Shape(bits, a.strides, modulus, a.rest % modulus, low, high, nsw and a.signed, nuw and a.unsigned)


def extended(a: Shape, bits: int, signed: bool, geometry: Geometry) -> Shape:
    """The same number in more bits: strides stay only if no work-item's number wraps."""
    low, high = a.signed_range if signed else a.unsigned_range
    if not (a.signed if signed else a.unsigned):
        a = a.without(a.varying)
    modulus, rest = a.modulus, a.rest
    base = _known_base(a, signed, geometry)
    if base is not None:
        modulus, rest = 1 << bits, base % (1 << bits)
    return Shape(bits, a.strides, modulus, rest, low, high, True, not signed)


def _strides(values: Iterable[Stride]) -> Strides:
    x, y, z = values
    return x, y, z
