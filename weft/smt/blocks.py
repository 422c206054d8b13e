"""Facts about a value in the lanes of a block.

In a block of lanes a value of b bits is

    value(t) = base + offset[t]    (mod 2^b)

where the offsets are known, their minimum is 0, and the base is uniform. The low bits of the base may be
known: `residue` modulo the power of two `modulus`. If `residue + offset[t] < modulus` in all lanes, the
lanes lie in one *cell*: an aligned range of `modulus` integers. No carry leaves a cell, so inside one

- nothing wraps, whatever the base: extensions keep the offsets;
- a division by any multiple of the cell's size gives a uniform quotient, and remainders keep the offsets; the
  same holds for shifts by at least as many bits;
- bitwise operations act on the low bits, which are known, and on the rest, which is uniform.

This decides terms with unknown divisors and shifts: a power of two that divides them suffices. A block also
has unsigned and signed intervals of its values, and records whether `value(t) = base + offset[t]` holds
without "mod" in either interpretation (`exact`).
"""

from weft.dataclasses import dataclass

Offsets = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """The numbers of a value in the lanes of a block; `offsets` is None if they are unknown."""

    width: int
    offsets: Offsets | None
    modulus: int = 1
    residue: int = 0
    low: int = 0
    high: int = 0
    signed_low: int = 0
    signed_high: int = 0
    exact: bool = False
    signed_exact: bool = False

    @property
    def is_uniform(self) -> bool:
        """Whether all lanes have the same number."""
        return self.offsets is not None and not any(self.offsets)

    @property
    def spread(self) -> int:
        """The difference between the largest and smallest number, before wrapping."""
        assert self.offsets is not None
        return max(self.offsets)

    @property
    def is_known(self) -> bool:
        """Whether the number of every lane is known."""
        return self.offsets is not None and self.modulus >> self.width == 1

    @property
    def numbers(self) -> Offsets:
        """The known numbers of all lanes, as nonnegative integers."""
        assert self.offsets is not None and self.is_known
        end = 1 << self.width
        return tuple((self.residue + o) % end for o in self.offsets)

    @property
    def constant(self) -> int | None:
        """The number that all lanes share, if it is known."""
        return self.residue if self.modulus >> self.width and self.is_uniform else None

    @property
    def divisor(self) -> int:
        """A power of two that divides the value, which must be uniform."""
        return self.modulus if self.residue == 0 else self.residue & -self.residue

    def fits(self, cell: int) -> bool:
        """Return whether all lanes lie in one aligned range of `cell` numbers; `cell` is a power of two."""
        return self.offsets is not None and self.modulus >= cell and self.residue % cell + self.spread < cell

    def low_bits(self, cell: int) -> Offsets:
        """Return the numbers of all lanes modulo `cell`, a power of two not above the modulus."""
        assert self.offsets is not None
        return tuple((self.residue + o) % cell for o in self.offsets)


def known(width: int, numbers: tuple[int, ...]) -> Block:
    """Return a block with known numbers."""
    return make_block(width, numbers, 1 << width, 0)


def uniform(width: int, lanes: int, low: int = 0, high: int | None = None) -> Block:
    """Return a block with the same number in all lanes, in an unsigned range."""
    return make_block(width, (0,) * lanes, 1, 0, low, high)


def unknown(width: int, low: int = 0, high: int | None = None) -> Block:
    """Return a block about which only an unsigned range is known."""
    return make_block(width, None, 1, 0, low, high)


def make_block(
    width: int,
    offsets: Offsets | None,
    modulus: int,
    residue: int,
    low: int = 0,
    high: int | None = None,
    signed_low: int | None = None,
    signed_high: int | None = None,
    exact: bool = False,
    signed_exact: bool = False,
) -> Block:
    """Create a block from its fields; derive from each field what it implies for the others."""
    size, half = 1 << width, 1 << width >> 1
    high = size - 1 if high is None else high
    signed_low = -half if signed_low is None else signed_low
    signed_high = half - 1 if signed_high is None else signed_high
    modulus = min(modulus, size)
    if offsets is not None:
        least = min(offsets)
        if least:
            offsets = tuple(o - least for o in offsets)
        residue = (residue + least) % modulus
        spread = max(offsets)
        if spread >= size:
            # Offsets are modulo 2^width, so reduced ones are equivalent.
            offsets = tuple(o % size for o in offsets)
            spread = max(offsets)
            exact = signed_exact = False
        if modulus == size:
            numbers = [(residue + o) % size for o in offsets]
            exact = residue + spread < size
            signed_exact = (residue - size if residue >= half else residue) + spread < half
            low, high = max(low, min(numbers)), min(high, max(numbers))
            ordered = [n - size if n >= half else n for n in numbers]
            signed_low, signed_high = max(signed_low, min(ordered)), min(signed_high, max(ordered))
        elif residue + spread < modulus:
            # The lanes lie in one cell: the base is `residue` plus a multiple of the modulus.
            exact = signed_exact = True
            low = max(low, residue)
            high = min(high, size - modulus + residue + spread)
        if not spread:
            low, high = _aligned(low, high, modulus, residue)
            signed_low, signed_high = _aligned(signed_low, signed_high, modulus, residue)
    if high < half:
        signed_low, signed_high = max(signed_low, low), min(signed_high, high)
    elif low >= half:
        signed_low, signed_high = max(signed_low, low - size), min(signed_high, high - size)
    if signed_low >= 0:
        low, high = max(low, signed_low), min(high, signed_high)
    elif signed_high < 0:
        low, high = max(low, signed_low + size), min(high, signed_high + size)
    if low > high or signed_low > signed_high:
        # No value satisfies the facts, so any consistent range is correct.
        low, high, signed_low, signed_high = 0, size - 1, -half, half - 1
    if offsets is not None:
        if not spread:
            if low == high and modulus != size:
                return known(width, (low,) * len(offsets))
            exact = signed_exact = True
        else:
            exact = exact or high - low + spread < size
            signed_exact = signed_exact or signed_high - signed_low + spread < size
            if high < half or low >= half:  # the signed and unsigned readings differ by a constant
                exact = signed_exact = exact or signed_exact
    return Block(width, offsets, modulus, residue, low, high, signed_low, signed_high, exact, signed_exact)


def _aligned(low: int, high: int, modulus: int, residue: int) -> tuple[int, int]:
    """Shrink an interval to the first and last number with the given residue."""
    if modulus == 1:
        return low, high
    return low + (residue - low) % modulus, high - (high - residue) % modulus


def join(a: Block, b: Block) -> Block:
    """Return a block that covers both `a` and `b`; all lanes have the same one."""
    offsets = a.offsets if a.offsets == b.offsets else None
    modulus = min(a.modulus, b.modulus)
    if (a.residue - b.residue) % modulus:
        modulus = (a.residue - b.residue) & -(a.residue - b.residue)
    return make_block(
        a.width,
        offsets,
        modulus,
        a.residue % modulus,
        min(a.low, b.low),
        max(a.high, b.high),
        min(a.signed_low, b.signed_low),
        max(a.signed_high, b.signed_high),
        a.exact and b.exact,
        a.signed_exact and b.signed_exact,
    )
